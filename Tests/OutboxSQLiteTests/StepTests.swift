import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import Testing

/// Changes of more entries than one step takes.
@Suite(.timeLimit(.minutes(60))) struct StepTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private static let count = 1300

    private let folder: TemporaryFolder
    private let storage: SQLiteStorage

    /// A storage in which every operation waits for the network, one until another moment than the
    /// others, and one under an envelope that cannot be read.
    init() throws {
        folder = try TemporaryFolder()
        storage = try SQLiteStorage(path: folder.file("outbox.sqlite"))
        let operations = (0..<Self.count).map { number in
            var envelope = Envelope(
                id: OperationID(time: Self.now, random: (0, UInt64(number))),
                kind: "note",
                createdAt: Self.now
            )
            envelope.nextEligibleAt = Self.now.advanced(by: .seconds(number == 7 ? 60 : 3600))
            envelope.waitCause = .network
            return SealedOperation(envelope: envelope, record: [1])
        }
        try storage.insert(operations)
        try storage.write {
            try $0.run(
                "UPDATE outbox_operation SET envelope = x'00' WHERE id = ?",
                .blob(operations[100].envelope.id.bytes)
            )
        }
    }

    private func eligible() throws -> Int {
        try storage.eligible(at: Self.now, limit: .max).entries.count
    }

    @Test("O5: the network's return ends every wait that can be read")
    func waits() throws {
        #expect(try eligible() == 0)
        try storage.endWaits(for: .network)
        #expect(try eligible() == Self.count - 1)
    }

    @Test("a person's retry of everything is one of everything")
    func retries() throws {
        try storage.write { try storage.makeAllEligible(in: $0) }
        #expect(try eligible() == Self.count - 1)
    }
}
