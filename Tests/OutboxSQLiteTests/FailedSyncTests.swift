import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import SQLite
import Synchronization
import Testing
import WatchedFiles

/// After a sync that failed, the system may take what it could not write for written, and no later
/// sync writes it (<https://wiki.postgresql.org/wiki/Fsync_Errors>).
@Suite(.timeLimit(.minutes(60))) struct FailedSyncTests {
    private static let database = "outbox.sqlite"
    private static let log = "outbox.sqlite-wal"

    private let folder: WatchedFolder
    private let keys = MemoryKeyStore(keys: [.random()])

    init() throws {
        folder = try WatchedFolder()
    }

    private func open(unsyncedRemovals: Int = 31) throws -> Outbox<SQLiteStorage> {
        let storage = try SQLiteStorage(
            path: folder.file(Self.database),
            maximumUnsyncedRemovals: unsyncedRemovals
        )
        return Outbox(storage: storage, keys: keys)
    }

    /// The next sync of the log fails, and all after it too where told so.
    private func failSync(forEver: Bool = false) {
        let isOver = Mutex(false)
        folder.apply { request, name in
            guard request == .sync, name == Self.log else { return .pass }
            let fails = isOver.withLock { isOver in
                defer { isOver = true }
                return forEver || !isOver
            }
            return fails ? .fail(1034) : .pass
        }
    }

    /// The next sync of the log fails, and then nothing more can be written to the log.
    private func failLog() {
        let isFailing = Mutex(false)
        folder.apply { request, name in
            guard name == Self.log else { return .pass }
            switch request {
            case .sync:
                isFailing.withLock { $0 = true }
                return .fail(1034)
            case .write, .truncate:
                return isFailing.withLock { $0 } ? .fail(778) : .pass
            default:
                return .pass
            }
        }
    }

    /// Everybody has closed the database.
    private func cutPower() throws {
        folder.apply(nil)
        try folder.replace(with: folder.disk.worst)
    }

    /// One that waits for the disk itself, and not for a group of callers.
    private func enqueue(
        _ payload: [UInt8],
        in outbox: Outbox<SQLiteStorage>
    ) throws -> OperationID {
        try outbox.enqueue(kind: "note", payload: payload)
    }

    private func deliver(_ outbox: Outbox<SQLiteStorage>) async throws {
        try await outbox.drain(["note": { _ in .done }], until: .idle)
    }

    @Test("O2: an enqueue is durable although a sync failed after a removal that had not waited")
    func failedEnqueue() async throws {
        let outbox = try open()
        _ = try enqueue([1], in: outbox)
        try await deliver(outbox)
        failSync()
        #expect(throws: StorageError.self) { try enqueue([2], in: outbox) }
        let id = try enqueue([3], in: outbox)
        outbox.storage.close()
        try cutPower()
        let next = try open()
        #expect(try next.open(id).payload == [3])
        #expect(try next.storage.damage(checkingUpTo: .max).isEmpty)
    }

    @Test("O2: an enqueue is durable although a check-point could not sync the removals before it")
    func failedCheckpoint() async throws {
        let outbox = try open(unsyncedRemovals: .max)
        _ = try enqueue([1], in: outbox)
        try await deliver(outbox)
        failSync()
        #expect(throws: StorageError.self) { try outbox.storage.checkpoint() }
        let id = try enqueue([2], in: outbox)
        outbox.storage.close()
        try cutPower()
        #expect(try open().open(id).payload == [2])
    }

    @Test("O2: nor is an enqueue in doubt that follows SQLite's own check-point")
    func failedAutomaticCheckpoint() async throws {
        let outbox = try open(unsyncedRemovals: .max)
        var reader: Connection? = try Connection(path: folder.file(Self.database))
        // A log of 1,000 frames is moved into the database. Enqueues end before, removals reach it.
        let frame = 24 + 4096
        while folder.disk.latest[Self.log, default: []].count < 997 * frame {
            _ = try enqueue([1], in: outbox)
        }
        #expect(folder.disk.latest[Self.log, default: []].count < 1000 * frame)
        // Who reads meanwhile keeps the next check-point from moving all of it.
        try reader?.run("BEGIN")
        _ = try reader?.first("SELECT COUNT(*) FROM outbox_operation") { $0.integer(0) }
        failSync()
        try await deliver(outbox)
        #expect(folder.disk.latest[Self.log, default: []].count > 1000 * frame)
        let id = try enqueue([1, 2], in: outbox)
        reader = nil
        outbox.storage.close()
        try cutPower()
        #expect(try open().open(id).payload == [1, 2])
    }

    @Test("O2: nor is an enqueue lost if another connection begins the log anew behind a commit")
    func otherGeneration() throws {
        let outbox = try open()
        let other = try open(unsyncedRemovals: .max)
        for number in 1...6 { _ = try enqueue([UInt8(number)], in: outbox) }
        let entries = try other.storage.eligible(at: ScenarioWorld.now, limit: 6).entries
        let removals = try entries.map {
            Settlement(entry: $0.id, id: try #require($0.operationID), transition: .remove)
        }
        try outbox.storage.checkpoint()
        // The connection looks at the index once more when its commit has synced.
        let hasSynced = Mutex(false)
        let hasCommitted = Mutex(false)
        folder.apply { request, name in
            if request == .sync, name == Self.log { hasSynced.withLock { $0 = true } }
            guard request == .mapSharedMemory, hasSynced.withLock(\.self) else { return .pass }
            let isFirst = hasCommitted.withLock { hasCommitted in
                defer { hasCommitted = true }
                return !hasCommitted
            }
            guard isFirst else { return .pass }
            do {
                try other.storage.checkpoint()
                for removal in removals { try other.storage.settle([removal]) }
            } catch {
                Issue.record(error)
            }
            return .pass
        }
        _ = try enqueue([7], in: outbox)
        #expect(hasCommitted.withLock { $0 })
        #expect(try outbox.counts().queued == 1)
        failSync()
        #expect(throws: StorageError.self) { try enqueue([8], in: outbox) }
        let id = try enqueue([9], in: outbox)
        for storage in [outbox.storage, other.storage] { storage.close() }
        try cutPower()
        #expect(try open().open(id).payload == [9])
    }

    /// What another process did, as far as its connection tells.
    enum Neighbour: CaseIterable {
        case open, openedLater, goneMeanwhile
    }

    @Test(
        "O2: nor is an enqueue lost that follows another process's failed sync",
        arguments: Neighbour.allCases,
        [false, true]
    )
    func otherProcess(neighbour: Neighbour, isInTransaction: Bool) async throws {
        let outbox = try open()
        var other = neighbour == .open ? try open() : nil
        let first = try enqueue([1], in: outbox)
        try await deliver(outbox)
        failLog()
        #expect(throws: StorageError.self) { try enqueue([2], in: outbox) }
        folder.apply(nil)
        if neighbour == .goneMeanwhile { outbox.storage.close() }
        let next = try other ?? open()
        let operation = try next.seal(kind: "note", payload: [3])
        if isInTransaction {
            try next.storage.write { try next.storage.insert(operation, in: $0) }
        } else {
            try next.storage.insert([operation])
        }
        for storage in [outbox.storage, next.storage] { storage.close() }
        other = nil
        try cutPower()
        let last = try open()
        #expect(try last.open(operation.envelope.id).payload == [3])
        #expect(throws: OutboxError.self) { try last.open(first) }
    }

    /// A power cut in the middle of a write may leave anything in its place.
    @Test("O2: what another process's sync left out is written again, and nothing that lasts")
    func onlyWhatMayBeMissing() async throws {
        let outbox = try open()
        let kept = try enqueue([1], in: outbox)
        let removed = try enqueue([2], in: outbox)
        let lasting = folder.disk.latest[Self.log, default: []].count
        let entry = try #require(try outbox.storage.entry(for: removed)?.id)
        try outbox.storage.settle([Settlement(entry: entry, id: removed, transition: .remove)])
        failLog()
        #expect(throws: StorageError.self) { try enqueue([3], in: outbox) }
        outbox.storage.close()
        folder.apply(nil)
        let lowest = Mutex(Int.max)
        folder.observe { disk in
            guard let file = disk.names[Self.log].flatMap({ disk.files[$0] }) else { return }
            for case .write(let offset, _) in file.unsynced {
                lowest.withLock { $0 = min($0, offset) }
            }
        }
        let next = try open()
        let id = try enqueue([4], in: next)
        #expect(lowest.withLock(\.self) == lasting)
        folder.observe(nil)
        next.storage.close()
        try cutPower()
        let last = try open()
        #expect(try last.open(kept).payload == [1])
        #expect(try last.open(id).payload == [4])
        #expect(throws: OutboxError.self) { try last.open(removed) }
    }

    @Test("O2: a log in doubt is written again once, by whichever process is the first that can")
    func doubtEnds() async throws {
        let outbox = try open()
        let other = try open()
        _ = try enqueue([1], in: outbox)
        try await deliver(outbox)
        failLog()
        #expect(throws: StorageError.self) { try enqueue([2], in: outbox) }
        // The other process cannot write either, and takes nothing.
        #expect(throws: StorageError.self) { try enqueue([3], in: other) }
        #expect(throws: StorageError.self) { try other.storage.checkpoint() }
        folder.apply(nil)
        _ = try enqueue([4], in: other)
        for next in [other, try open()] {
            let writes = Mutex(0)
            let syncs = Mutex(0)
            folder.apply { request, name in
                guard name == Self.log else { return .pass }
                if request == .write { writes.withLock { $0 += 1 } }
                if request == .sync { syncs.withLock { $0 += 1 } }
                return .pass
            }
            _ = try enqueue([5], in: next)
            // Writing a log again ends with a sync of its own.
            #expect(syncs.withLock { $0 } == 1)
            // A frame's header and its page, of few pages: not the whole log.
            #expect(writes.withLock { $0 } < 16)
        }
    }

    @Test("O2: while no sync passes, no enqueue is taken")
    func failingForEver() async throws {
        let outbox = try open()
        let first = try enqueue([1], in: outbox)
        failSync(forEver: true)
        for number in 0..<3 {
            #expect(throws: StorageError.self) {
                try enqueue([UInt8(number)], in: outbox)
            }
        }
        folder.apply(nil)
        let last = try enqueue([4], in: outbox)
        #expect(try outbox.counts().queued == 2)
        outbox.storage.close()
        try cutPower()
        let next = try open()
        #expect(try next.open(first).payload == [1])
        #expect(try next.open(last).payload == [4])
    }
}
