import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import SQLite
import TestSeeds
import Testing
import Waiting
import WatchedFiles

/// Drains of a small store of which one bit is wrong, in simulated time.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DamagedDrainTests {
    private typealias Store = CorruptibleStore

    /// What one drain did.
    private struct Drain {
        var attempts: [OperationID: Int] = [:]
        var steps = 0
        /// The database as a whole can no longer be read or written, so that no slot becomes free.
        var isRefused = false
        /// It says that the storage contradicts itself.
        var isTold = false
    }

    private struct Tally {
        /// What was to be attempted, over all drains.
        var readable = 0
        var refused = 0
        var missed = 0
    }

    /// How many steps a drain of a whole store takes at most, several times over.
    private let mostSteps = 1000
    /// A storage that fails is tried again each minute: some 40 times in half an hour, in fewer than
    /// ten steps each.
    private let longest = Milliseconds.seconds(1800)

    @Test(
        "whatever bit is wrong, a drain ends, and attempts what it can read, and nothing twice",
        arguments: [false, true],
        TestSeeds["damaged-drain"]
    )
    func flippedBits(isSettled: Bool, seed: UInt64) async throws {
        let store = try Store()
        let contents = isSettled ? store.settled : store.logged
        let count = try #require(contents[Store.database]).count
        var random = SeededRandom(seed: seed)
        let bits = (0..<count / 4).map { $0 * 32 + Int.random(in: 0..<32, using: &random) }
        let tally = try await onOwnThread {
            let folder = try WatchedFolder()
            var tally = Tally()
            for bit in bits { try drain(folder, store, contents, bit, seed, &tally) }
            return tally
        }
        print(
            """
            SQLite, drains with one bit of four bytes wrong, seed \(seed): \(tally.readable) \
            operations attempted in \(bits.count), refused \(tally.refused), \
            put off \(tally.missed)
            """
        )
        #expect(tally.readable > bits.count * 3)
        // One word in 33 is one without which SQLite reads, or changes, nothing in the file.
        #expect(tally.refused < bits.count / 20 && tally.missed < bits.count / 100)
    }

    @Test("an index that cannot be read hides nothing that is due")
    func unreadableIndex() throws {
        let store = try Store()
        let folder = try WatchedFolder(store.settled)
        let path = folder.file(Store.database)
        let (root, pageSize) = try SQLiteStorage(path: path).read { connection in
            (
                try connection.first(
                    "SELECT rootpage FROM sqlite_schema WHERE name = 'outbox_due'"
                ) { Int($0.integer(0)) },
                try connection.first("PRAGMA page_size") { Int($0.integer(0)) }
            )
        }
        var damaged = store.settled
        // No page begins with it.
        damaged[Store.database]?[(try #require(root) - 1) * (try #require(pageSize))] = 0xFF
        let whole = drain(folder, seed: 1).attempts
        try folder.replace(with: damaged)
        let attempts = drain(folder, seed: 1).attempts
        #expect(attempts == whole && whole.count == 7 && whole.values.allSatisfy { $0 == 1 })
    }

    private func drain(
        _ folder: WatchedFolder,
        _ store: Store,
        _ contents: [String: [UInt8]],
        _ bit: Int,
        _ seed: UInt64,
        _ tally: inout Tally
    ) throws {
        var damaged = contents
        damaged[Store.database] = contents[Store.database].map(Store.flip(bit))
        try folder.replace(with: damaged)
        let readable = (try? readable(in: folder, store)) ?? []
        let drain = drain(folder, seed: seed)
        tally.readable += readable.count
        #expect(drain.steps < mostSteps, "bit \(bit), seed \(seed)")
        #expect(drain.attempts.values.allSatisfy { $0 == 1 }, "bit \(bit), seed \(seed)")
        if drain.isRefused {
            tally.refused += 1
        } else {
            // A damaged index may say that something is due much later.
            let missed = readable.subtracting(drain.attempts.keys)
            #expect(missed.isEmpty || drain.isTold, "bit \(bit), seed \(seed)")
            tally.missed += missed.count
        }
    }

    /// The operations that are to be attempted, and of which a look-up answers what was enqueued.
    private func readable(
        in folder: WatchedFolder,
        _ store: Store
    ) throws -> Set<OperationID> {
        let outbox = try SQLiteScenario.open(folder)
        for cause in [WaitCause.network, .server] { try? outbox.storage.endWaits(for: cause) }
        let eligible = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 99).entries
        return Set(
            eligible.compactMap(\.operationID).filter { id in
                guard let promise = store.promises.operations[id] else { return false }
                return (try? outbox.open(id).payload) == promise.payload
            }
        )
    }

    private func drain(_ folder: WatchedFolder, seed: UInt64) -> Drain {
        let scheduler = SimulatedScheduler(seed: seed)
        let result = Result()
        scheduler.after(Milliseconds(0)) {
            result.task = Task {
                defer { result.isEnded = true }
                let outbox = Outbox(
                    storage: try SQLiteStorage(path: folder.file(Store.database)),
                    keys: ScenarioWorld.keys,
                    clock: SimulatedClock(scheduler: scheduler, seed: seed).clock,
                    log: { event in
                        if [.outcomeNotStored, .queueNotRead].contains(event.change) {
                            result.drain.isRefused = true
                        }
                        if event.change == .damaged { result.drain.isTold = true }
                    }
                )
                defer { outbox.storage.close() }
                try await outbox.drain(
                    [
                        "note": { operation in
                            result.drain.attempts[operation.id, default: 0] += 1
                            return .done
                        }
                    ],
                    until: .idle
                )
            }
        }
        scheduler.run(until: longest, while: { scheduler.steps < mostSteps })
        result.drain.steps = scheduler.steps
        // Inside of the simulation, as whatever resumes a task is.
        scheduler.after(Milliseconds(0)) { result.task?.cancel() }
        scheduler.run(until: .seconds(1900), while: { !result.isEnded })
        #expect(result.isEnded, "seed \(seed)")
        return result.drain
    }

    /// Confined to the thread that runs the drain.
    private final class Result: @unchecked Sendable {
        var drain = Drain()
        var task: Task<Void, any Error>?
        var isEnded = false
    }
}
