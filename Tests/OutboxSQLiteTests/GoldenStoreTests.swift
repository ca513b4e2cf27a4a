import Foundation
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import Synchronization
import TemporaryFolders
import Testing

/// Reads a store that the first build wrote, which kept ordering keys and knew no lanes. In the
/// order of insertion:
///
/// | operation | 9 | 8 | 7 | 6 | 5 | 4 | 3 | 2 | 1 |
/// |---|---|---|---|---|---|---|---|---|---|
/// | lane | a | a | | a | b | b | c | c | |
///
/// 9 waits until 1,900,000,000 s because a server asked for it, and has a field of a newer build; 5
/// is parked; 3 is quarantined. The payload of each is its number.
@Suite(.timeLimit(.minutes(60))) struct GoldenStoreTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/version-1.sqlite")
        try FileManager.default.copyItem(
            at: golden,
            to: URL(filePath: folder.file("outbox.sqlite"))
        )
    }

    private func open(_ policy: LanePolicy = .skipAndPark) throws -> Outbox<SQLiteStorage> {
        let key = SealingKey(
            id: KeyID(rawValue: 1),
            bytes: repeatElement(7, count: 32)
        )
        return Outbox(
            storage: try SQLiteStorage(path: folder.file("outbox.sqlite")),
            keys: MemoryKeyStore(keys: [key]),
            lanePolicy: { _ in policy },
            clock: clock.clock
        )
    }

    private func id(_ number: UInt64) -> OperationID {
        OperationID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private func check(_ outbox: Outbox<SQLiteStorage>) throws {
        #expect(try outbox.counts() == OutboxCounts(queued: 7, parked: 1, quarantined: 1))
        for number in UInt64(1)...9 {
            #expect(try outbox.open(id(number)).payload == [UInt8(number)])
        }
        let eligible = try outbox.storage.eligible(at: clock.now, limit: 9)
        #expect(eligible.entries.map(\.operationID) == [1, 2, 4, 7].map(id))
        #expect(eligible.nextEligibleAt?.millisecondsSinceEpoch == 1_900_000_000_000)
        let waiting = try #require(try outbox.entry(for: id(9))?.envelope)
        #expect(waiting.unknownFields == [UnknownField(tag: 200, value: [1, 2, 3])])
        #expect(waiting.attemptCount == 3 && waiting.lastError == "relay.http.429")
        #expect(try outbox.entry(for: id(5))?.envelope?.lastError == "refused")
        #expect(try outbox.entry(for: id(3))?.quarantineReason == .unknownKey)
    }

    @Test("a store without lanes reads as it was written, and its operations are in their lanes")
    func reads() throws {
        try check(try open())
        try check(try open())
    }

    @Test("a store that several open for the first time is upgraded once")
    func openedBySeveral() async throws {
        try await withThrowingTaskGroup { tasks in
            for _ in 0..<8 { tasks.addTask { try check(try open()) } }
            try await tasks.waitForAll()
        }
    }

    @Test("what was parked and quarantined before has its place when it is queued again")
    func order() async throws {
        let outbox = try open()
        for number: UInt64 in [9, 5, 3] { try outbox.retry(id(number)) }
        let eligible = try outbox.storage.eligible(at: clock.now, limit: 9)
        #expect(eligible.entries.map(\.operationID) == [1, 3, 5, 7, 9].map(id))
        let delivered = Mutex<[UInt8]>([])
        try await outbox.drain(
            [
                "note": { operation in
                    delivered.withLock { $0 += operation.payload }
                    return .done
                }
            ],
            until: .idle
        )
        let order = delivered.withLock { $0 }
        for lane: [UInt8] in [[9, 8, 6], [5, 4], [3, 2]] {
            #expect(order.filter(lane.contains) == lane)
        }
        #expect(order.count == 9)
    }

    @Test("the upgrade leaves alone what an envelope does not tell")
    func damaged() throws {
        let path = folder.file("outbox.sqlite")
        do {
            let connection = try Connection(path: path)
            try connection.run(
                "UPDATE outbox_operation SET envelope = x'0102' WHERE id = ?",
                .blob(id(8).bytes)
            )
        }
        let outbox = try open()
        let eligible = try outbox.storage.eligible(at: clock.now, limit: 9)
        #expect(eligible.entries.map(\.operationID) == [1, 2, 4, 7, 8].map(id))
    }
}
