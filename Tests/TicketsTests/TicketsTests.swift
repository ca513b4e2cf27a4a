import Foundation
import Outbox
import Testing

@testable import Tickets

// The time limit ends a test that hangs; no test comes near it.
@Suite(.timeLimit(.minutes(60))) final class TicketsTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/tickets-\(UUID())"
    private var paper: String { folder + "/printer" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The printed lines, without the ends of identifiers.
    private func printed() throws -> [String] {
        guard FileManager.default.fileExists(atPath: paper) else { return [] }
        return try String(contentsOfFile: paper, encoding: .utf8).split(separator: "\n").map {
            String($0.prefix { $0 != "[" }).trimmingCharacters(in: .whitespaces)
        }
    }

    private func switchOn() {
        #expect(FileManager.default.createFile(atPath: paper, contents: nil))
    }

    /// Prints until `isReached` holds of a state.
    private func print(
        _ queue: TicketQueue,
        until isReached: (OutboxState) -> Bool
    ) async throws {
        let printing = Task { [paper] in try await queue.print(on: Printer(path: paper)) }
        for await state in queue.states() where isReached(state) { break }
        printing.cancel()
        try await printing.value
    }

    @Test("what was taken before a restart is printed in order once the printer is on")
    func restart() async throws {
        let texts = (1...5).map { "soup \($0)" }
        do {
            let queue = try TicketQueue(folder: folder)
            for text in texts { try queue.take(Ticket(table: 4, text: text)) }
        }
        let queue = try TicketQueue(folder: folder)
        var wasOff = false
        try await print(queue) { state in
            if !wasOff {
                wasOff = true
                #expect(state.total == 5)
                switchOn()
                #expect(throws: Never.self) { try queue.printerIsOn() }
            }
            return state.total == 0
        }
        #expect(try printed() == texts.map { "table 4: \($0)" })
    }

    @Test("a ticket that can never be printed holds back its own table until it is dropped")
    func refused() async throws {
        switchOn()
        let queue = try TicketQueue(folder: folder)
        let tooLong = String(repeating: "very ", count: 20) + "hot"
        try queue.take(Ticket(table: 1, text: tooLong))
        try queue.take(Ticket(table: 1, text: "without onions"))
        try queue.take(Ticket(table: 2, text: "bread"))
        try await print(queue) { $0.parked == 1 && $0.queued == 1 && $0.inFlight == 0 }
        #expect(try printed() == ["table 2: bread"])
        #expect(try queue.dropRefused() == [Ticket(table: 1, text: tooLong)])
        try await print(queue) { $0.total == 0 }
        #expect(try printed() == ["table 2: bread", "table 1: without onions"])
    }
}
