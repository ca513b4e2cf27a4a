import Foundation
import Measurement

/// Something that takes operations and hands them to a handler that does nothing.
protocol Contender {
    /// Takes one, durably if it can.
    func enqueue() throws
    /// Takes many, as quickly as it can.
    func fill(_ count: Int) throws
    /// Hands on as many as there are, at least `count`.
    func drain(_ count: Int) async throws
}

/// The payload that every contender stores.
let payload = (0..<1024).map { _ in UInt8.random(in: 0...255) }

/// Does what the lines of standard input say, `enqueue COUNT`, `fill COUNT` or `drain COUNT`, and
/// answers each with a line of JSON: the seconds of each enqueue, or of the whole.
func serve(_ contender: some Contender) async throws {
    while let line = readLine() {
        let words = line.split(separator: " ")
        guard words.count >= 2, let count = Int(words[1]) else {
            preconditionFailure("not a command: \(line)")
        }
        switch words[0] {
        case "enqueue":
            try report(
                try (0..<count).map { _ in
                    defer { Mark.enqueued.set() }
                    return try seconds { try contender.enqueue() }
                }
            )
        case "fill":
            try report([try seconds { try contender.fill(count) }])
        case "drain":
            let start = ContinuousClock.now
            try await contender.drain(count)
            try report([(ContinuousClock.now - start) / .seconds(1)])
        default:
            preconditionFailure("not a command: \(line)")
        }
    }
}

func report(_ answer: some Encodable) throws {
    FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + Data("\n".utf8))
}

/// Lets `strace` see where one operation ends, if the environment asks for that.
///
/// Syncs between two marks belong to the operation between them.
enum Mark: String {
    case enqueued = "@enqueued\n"
    case handled = "@handled\n"

    private static let isWanted = ProcessInfo.processInfo.environment["BENCH_MARKS"] != nil
    private static let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)

    func set() {
        guard Self.isWanted else { return }
        _ = write(Self.nowhere, rawValue, rawValue.utf8.count)
    }
}
