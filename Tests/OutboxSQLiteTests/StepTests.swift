import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import Synchronization
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

    @Test("waits end a step at a time, the longest first, each once")
    func steps() throws {
        var last: WaitPosition?
        var ended: [Int] = []
        repeat {
            last = try storage.endWaits(for: .network, after: last)
            ended.append(try eligible())
        } while last != nil
        #expect(ended == [512, 1024, Self.count - 1])
        let waiting = try storage.entries(waitingFor: .network, beyond: Self.now, limit: 2)
        #expect(waiting.count == 1, "the one that cannot be read")
    }

    @Test("attempts begin while the waits that the network's return ends are not all ended")
    func attemptsBetweenSteps() async throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("outbox.sqlite"))
        let outbox = Outbox(storage: storage, keys: MemoryKeyStore())
        // All but one wait for the network.
        let first = try await outbox.enqueue(kind: "note", payload: [1])
        let operations = try (1..<Self.count).map { _ in
            let sealed = try outbox.seal(kind: "note", payload: [1])
            var envelope = sealed.envelope
            envelope.nextEligibleAt = envelope.createdAt.advanced(by: .seconds(600))
            envelope.waitCause = .network
            return SealedOperation(envelope: envelope, record: sealed.record)
        }
        try storage.insert(operations)
        let waiting = Mutex<[Int]>([])
        try await outbox.drain(
            [
                "note": { operation in
                    if operation.id == first {
                        outbox.networkReturned()
                    } else {
                        let left = try? storage.entries(
                            waitingFor: .network,
                            beyond: .distantPast,
                            limit: Self.count
                        )
                        waiting.withLock { $0.append(left?.count ?? 0) }
                    }
                    return .done
                }
            ],
            until: .idle
        )
        let seen = waiting.withLock { $0 }
        #expect(seen.count == Self.count - 1)
        #expect(seen.first == Self.count - 1 - 512 && seen.last == 0)
    }

    @Test("a person's retry of everything is one of everything")
    func retries() throws {
        try storage.write { try storage.makeAllEligible(in: $0) }
        #expect(try eligible() == Self.count - 1)
    }
}
