import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxLedger
import OutboxTesting
import Synchronization
import TemporaryFolders
import TestSeeds
import Testing

/// Several open stores on one folder, as several processes have them: each has its own index and
/// its own locks.
@Suite(.timeLimit(.minutes(60))) struct SharedStoreTests {
    private final class Count: Sendable {
        private let counts = Mutex<[FileOperation: Int]>([:])

        subscript(operation: FileOperation) -> Int {
            counts.withLock { $0[operation] ?? 0 }
        }

        var total: Int { counts.withLock { $0.values.reduce(0, +) } }

        func add(_ operation: FileOperation) { counts.withLock { $0[operation, default: 0] += 1 } }

        func reset() { counts.withLock { $0 = [:] } }
    }

    private let disk: SimulatedDisk

    init() throws {
        disk = SimulatedDisk.prepared()
    }

    private func open(counting count: Count = Count()) throws -> Outbox<FileStorage> {
        try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                count.add(operation)
                return true
            }
        )
    }

    @Test("each sees what the others change, without listing the folder again")
    func changes() throws {
        let count = Count()
        let (one, other) = (try open(counting: count), try open())
        let id = try other.enqueue(kind: "note", payload: [1])
        #expect(try one.counts().queued == 1)
        #expect(count[.names] == 2)
        let second = try other.enqueue(kind: "note", payload: [2])
        #expect(try one.storage.eligible(at: ScenarioWorld.now, limit: 9).entries.count == 2)
        let envelope = try #require(try other.entry(for: id)?.envelope)
        try other.storage.settle(.park(envelope), for: id)
        #expect(try one.counts() == OutboxCounts(queued: 1, parked: 1))
        try other.delete(second)
        #expect(try one.counts() == OutboxCounts(parked: 1))
        try one.retry(id)
        #expect(try other.counts() == OutboxCounts(queued: 1))
        // The temporary files at opening, the operations at the first reading.
        #expect(count[.names] == 2)
    }

    @Test("one that was overtaken by more changes than are kept lists the folder again")
    func overtaken() throws {
        let count = Count()
        let (one, other) = (try open(counting: count), try open())
        #expect(try one.counts().queued == 0)
        for _ in 0..<41 {
            let operations = try (0..<100).map {
                try other.seal(kind: "note", payload: [UInt8($0)])
            }
            try other.storage.insert(operations)
            for operation in operations.dropFirst() {
                try other.storage.settle(.remove, for: operation.envelope.id)
            }
        }
        #expect(try one.counts().queued == 41)
        #expect(count[.names] == 3)
    }

    @Test("an identifier is taken once, whoever asks and wherever the operation stands")
    func duplicates() throws {
        let (one, other) = (try open(), try open())
        let operation = try one.seal(kind: "note", payload: [1])
        try one.storage.insert([operation])
        #expect(throws: StorageError.duplicate) { try other.storage.insert([operation]) }
        try one.storage.settle(.park(operation.envelope), for: operation.envelope.id)
        #expect(throws: StorageError.duplicate) { try other.storage.insert([operation]) }
        #expect(try open().counts() == OutboxCounts(parked: 1))
    }

    @Test("what somebody deleted does not come back with the outcome of its attempt")
    func deletedMeanwhile() throws {
        let (one, other) = (try open(), try open())
        let id = try one.enqueue(kind: "note", payload: [1])
        var envelope = try #require(try one.entry(for: id)?.envelope)
        try other.delete(id)
        envelope.attemptCount = 1
        try one.storage.settle(.reschedule(envelope), for: id)
        try one.storage.settle(.remove, for: id)
        #expect(try one.counts() == OutboxCounts())
        #expect(try open().counts() == OutboxCounts())
    }

    /// A store that calls `body`, once, when it has written a file and is about to sync it.
    private func open(
        beforeSync body: @escaping @Sendable () throws -> Void
    ) throws -> (outbox: Outbox<FileStorage>, isArmed: Flag) {
        let isArmed = Flag()
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                guard operation == .syncFile, isArmed.isSet else { return true }
                isArmed.set(false)
                do { try body() } catch { Issue.record(error) }
                return true
            }
        )
        return (outbox, isArmed)
    }

    @Test("what somebody deletes while its outcome is being written does not come back")
    func deletedWhileWriting() throws {
        let other = try open()
        let id = try other.enqueue(kind: "note", payload: [1])
        let (outbox, isArmed) = try open { try other.delete(id) }
        let envelope = try #require(try outbox.entry(for: id)?.envelope)
        isArmed.set(true)
        try outbox.storage.settle(.reschedule(envelope), for: id)
        #expect(!isArmed.isSet)
        #expect(try outbox.counts() == OutboxCounts())
        #expect(try open().counts() == OutboxCounts())
        #expect(try disk.names(in: FileScenario.folder + "/temporary").isEmpty)
    }

    @Test("what somebody seals anew while an outcome is being written stays sealed anew")
    func sealedAnewWhileWriting() throws {
        let other = try open()
        let id = try other.enqueue(kind: "note", payload: [1])
        let entry = try #require(try other.storage.entry(for: id))
        let (outbox, isArmed) = try open {
            _ = try other.storage.replaceRecord(entry.id, from: entry.record, to: [9, 9])
        }
        var envelope = try Envelope(decoding: entry.envelope)
        envelope.attemptCount = 3
        isArmed.set(true)
        try outbox.storage.settle(.reschedule(envelope), for: id)
        #expect(!isArmed.isSet)
        let present = try #require(try open().storage.entry(for: id))
        #expect(present.record == [9, 9])
        #expect(try Envelope(decoding: present.envelope).attemptCount == 3)
    }

    @Test("opening a store sweeps nothing that another is writing")
    func sweptWhileWriting() throws {
        let disk = disk
        let (outbox, isArmed) = try open { _ = try FileScenario.open(disk) }
        try outbox.storage.markUsed()
        isArmed.set(true)
        let id = try outbox.enqueue(kind: "note", payload: [1])
        #expect(!isArmed.isSet)
        #expect(try open().open(id).payload == [1])
    }

    @Test("waits that one ends are over for all, also for those who open the store later")
    func waits() throws {
        let (one, other) = (try open(), try open())
        let causes: [WaitCause] = [.network, .server, .backoff]
        for cause in causes {
            let id = try one.enqueue(kind: "note", payload: [cause.rawValue])
            var envelope = try #require(try one.entry(for: id)?.envelope)
            envelope.waitCause = cause
            envelope.nextEligibleAt = ScenarioWorld.now.advanced(by: .seconds(600))
            try one.storage.settle(.reschedule(envelope), for: id)
        }
        #expect(try one.storage.eligible(at: ScenarioWorld.now, limit: 9).entries.isEmpty)
        try other.storage.endWaits(for: .network)
        for outbox in [one, other, try open()] {
            let entries = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries
            let envelopes = try entries.map { try Envelope(decoding: $0.envelope) }
            #expect(envelopes.map(\.waitCause) == [.nothing])
            let waiting = try outbox.storage.entries(
                waitingFor: .server,
                beyond: ScenarioWorld.now,
                limit: 9
            )
            #expect(waiting.count == 1)
        }
    }

    @Test("a holder of the lock that does not go on makes the others give up, not wait for ever")
    func stopped() throws {
        let storage = try FileStorage(folder: FileScenario.folder, system: disk, patience: 20)
        let holder = try disk.open(FileScenario.folder + "/lock", for: .shared)
        #expect(try disk.tryLock(holder))
        let operation = try FileScenario.open(disk).seal(kind: "note", payload: [1])
        #expect(throws: StorageError.busy) { try storage.insert([operation]) }
        #expect(try disk.names(in: FileScenario.folder + "/temporary").isEmpty)
        disk.close(holder)
        try storage.insert([operation])
        #expect(try storage.counts().queued == 1)
    }

    @Test("no operation of a store costs more file operations the more is stored")
    func flatCost() throws {
        let count = Count()
        var costs: [[Int]] = []
        for size in [10, 1000] {
            let filler = try open()
            while try filler.counts().queued < size {
                try filler.storage.insert(
                    try (0..<10).map { try filler.seal(kind: "note", payload: [UInt8($0)]) }
                )
            }
            let outbox = try open(counting: count)
            _ = try outbox.counts()
            var cost: [Int] = []
            func measure(_ body: () throws -> Void) rethrows {
                count.reset()
                try body()
                cost.append(count.total)
            }
            let operation = try outbox.seal(kind: "note", payload: [1])
            let id = operation.envelope.id
            try measure { try outbox.storage.insert([operation]) }
            try measure { _ = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 3) }
            try measure { try outbox.storage.settle(.reschedule(operation.envelope), for: id) }
            try measure { try outbox.storage.settle(.remove, for: id) }
            try measure { _ = try outbox.counts() }
            costs.append(cost)
            // Whoever only enqueues does not even list the folder.
            let other = try open(counting: count)
            count.reset()
            try other.enqueue(kind: "note", payload: [1])
            #expect(count[.names] == 0)
        }
        print("file operations of insert, eligible, reschedule, remove, counts: \(costs)")
        #expect(costs[0] == costs[1])
    }

    #if os(Linux)
        @Test("a drain's claim is gone although a process that was just being started shares it")
        func claimSharedWithChild() throws {
            let folder = try TemporaryFolder()
            let storage = try FileStorage(folder: folder.file("store"))
            var claim = try storage.claimDrain()
            let shared = try #require(try folder.shareDescriptor(of: "store/drain"))
            defer { close(shared) }
            #expect(claim != nil)
            claim = nil
            #expect(try storage.claimDrain() != nil)
        }
    #endif

    @Test("many threads over several stores lose nothing and drain everything once")
    func threads() async throws {
        let folder = try TemporaryFolder()
        try await StorageConformance.checkSharing(seed: TestSeeds["conformance-sharing"][0]) {
            try FileStorage(folder: folder.file("store"))
        }
    }
}
