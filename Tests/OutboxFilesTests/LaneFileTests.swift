import Foundation
import Outbox
import OutboxCore
import OutboxLedger
import OutboxTesting
import Synchronization
import TemporaryFolders
import Testing

@testable import OutboxFiles

/// Lanes where the folder is involved: what is told by the files after a restart, and by their
/// loss.
@Suite(.timeLimit(.minutes(60))) struct LaneFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store") }
    private let lane = OrderingKey(bytes: Array("lane".utf8))

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ policy: LanePolicy = .skipAndPark) throws -> Outbox<FileStorage> {
        Outbox(
            storage: try FileStorage(folder: path),
            keys: ScenarioWorld.keys,
            lanePolicy: { _ in policy }
        )
    }

    private func id(_ number: Int) -> OperationID { OperationID(high: 0, low: UInt64(number)) }

    private func enqueue(
        _ numbers: [Int],
        _ outbox: Outbox<FileStorage>
    ) throws {
        for number in numbers {
            try outbox.enqueue(
                kind: "note",
                payload: [UInt8(number)],
                id: id(number),
                orderingKey: lane
            )
        }
    }

    /// Takes the fronts of the lane away, one after the other.
    private func drained(_ storage: FileStorage) throws -> [OperationID] {
        var order: [OperationID] = []
        while let front = try storage.eligible(at: ScenarioWorld.now, limit: 9).entries.first {
            order.append(front.operationID!)
            try storage.settle(.remove, for: front.operationID!)
        }
        return order
    }

    @Test("the order of insertion survives every restart, whatever the identifiers and processes")
    func reopened() throws {
        try enqueue([7, 3], try open())
        let (first, second) = (try open(), try open())
        try enqueue([5], first)
        try enqueue([1], second)
        try enqueue([9], first)
        #expect(try first.storage.eligible(at: ScenarioWorld.now, limit: 9).entries.count == 1)
        let parked = try #require(try first.entry(for: id(7))?.envelope)
        try first.storage.settle(.park(parked), for: id(7))
        try enqueue([2], try open())
        try second.retry(id(7))
        #expect(try drained(try open().storage) == [7, 3, 5, 1, 9, 2].map(id))
    }

    @Test("the operations of one call stay in their order")
    func oneCall() throws {
        let outbox = try open()
        let operations = try [4, 2, 6].map {
            try outbox.seal(kind: "note", payload: [1], id: id($0), orderingKey: lane)
        }
        try outbox.storage.insert(operations)
        #expect(try drained(try open().storage) == [4, 2, 6].map(id))
    }

    @Test("files of a build that knew no lanes come first, in the order of identifiers")
    func olderBuild() throws {
        let outbox = try open()
        try enqueue([3], outbox)
        for number in [8, 5] {
            let sealed = try outbox.seal(
                kind: "note",
                payload: [1],
                id: id(number),
                orderingKey: lane
            )
            let file = FileRecord(envelope: sealed.envelope.encoded(), record: sealed.record)
            try Data(file.encoded()).write(
                to: URL(filePath: "\(path)/operations/\(id(number))")
            )
        }
        #expect(try drained(try open().storage) == [5, 8, 3].map(id))
    }

    @Test("a front that can no longer be read belongs to no lane", arguments: [true, false])
    func damaged(isReopened: Bool) async throws {
        let outbox = try open(.blockLane)
        try enqueue([2, 1], outbox)
        #expect(try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries.count == 1)
        let file = URL(filePath: "\(path)/operations/\(id(2))")
        var bytes = try Data(contentsOf: file)
        bytes[8] ^= 1
        try bytes.write(to: file)
        let reader = isReopened ? try open(.blockLane) : outbox
        #expect(try drained(reader.storage) == [id(1)])
        #expect(try reader.counts() == OutboxCounts(quarantined: 1))
    }

    @Test("a front whose file is gone without a word makes way for the next one")
    func vanished() throws {
        let outbox = try open()
        try enqueue([3, 2, 1], outbox)
        #expect(try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries.count == 1)
        for number in [3, 2] {
            try FileManager.default.removeItem(atPath: "\(path)/operations/\(id(number))")
        }
        #expect(try drained(outbox.storage) == [id(1)])
    }

    @Test("a front that cannot be quarantined on the disk follows its lane's policy all the same")
    func quarantineOnFullDisk() throws {
        for isBlocking in [true, false] {
            let disk = SimulatedDisk.prepared()
            let isFull = Flag()
            let outbox = try FileScenario.open(
                InterposedFiles(disk) { operation throws(FileError) in
                    if isFull.isSet, operation == .write { throw FileError(code: ENOSPC) }
                    return true
                }
            )
            try enqueue([2, 1], outbox)
            let front = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries[0]
            let envelope = try Envelope(decoding: front.envelope)
                .parked(isBlocking ? .blockLane : .skipAndPark)
            isFull.set(true)
            try outbox.storage.quarantine(front.id, reason: .unknownKey, as: envelope)
            let next = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries
            #expect(next.map(\.operationID) == (isBlocking ? [] : [id(1)]))
        }
    }

    @Test("nothing overtakes a front that cannot be read now; the next drain looks at it again")
    func unreadableBody() throws {
        let disk = SimulatedDisk.prepared()
        try enqueue([2, 1], try FileScenario.open(disk))
        try FileScenario.open(disk).enqueue(kind: "note", payload: [3], id: id(3))
        let reads = Mutex<Int?>(nil)
        let outbox = try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                guard case .read = operation else { return true }
                let number = reads.withLock { reads in
                    reads = reads.map { $0 + 1 }
                    return reads
                }
                // The first looks for changes, the second is of the front.
                if number == 2 { throw FileError(code: EIO) }
                return true
            }
        )
        #expect(try outbox.counts() == OutboxCounts(queued: 3))
        reads.withLock { $0 = 0 }
        let entries = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries
        #expect(entries.map(\.operationID) == [id(3)])
        #expect(try outbox.counts() == OutboxCounts(queued: 2, quarantined: 1))
        let claim = try outbox.storage.claimDrain()
        #expect(claim != nil)
        let again = try outbox.storage.eligible(at: ScenarioWorld.now, limit: 9).entries
        #expect(again.map(\.operationID) == [id(2), id(3)])
    }

    @Test("what is enqueued while others cannot be read comes behind them all the same")
    func enqueuedBlindly() throws {
        let disk = SimulatedDisk.prepared()
        try enqueue([5, 4], try FileScenario.open(disk))
        for number in [3, 2] {
            try enqueue([number], try blind(on: disk))
        }
        try enqueue([1], try FileScenario.open(disk))
        #expect(try drained(try FileScenario.open(disk).storage) == [5, 4, 3, 2, 1].map(id))
    }

    @Test("what two processes enqueue that cannot read each other's files stays in its order")
    func enqueuedBlindlyByTwo() throws {
        let disk = SimulatedDisk.prepared()
        let isFailing = Flag()
        func process() throws -> Outbox<FileStorage> {
            try FileScenario.open(
                InterposedFiles(disk) { operation throws(FileError) in
                    if isFailing.isSet, case .length = operation { throw FileError(code: EIO) }
                    return true
                }
            )
        }
        let (one, other) = (try process(), try process())
        var ids: [OperationID] = []
        func enqueue(_ outbox: Outbox<FileStorage>) throws {
            let time = WallTime(millisecondsSinceEpoch: 1_800_000_000_000 + Int64(ids.count))
            ids.append(OperationID(time: time, random: (0, 0)))
            try outbox.enqueue(kind: "note", payload: [1], id: ids.last!, orderingKey: lane)
        }
        for _ in 0..<3 { try enqueue(one) }
        isFailing.set(true)
        // It knows none of the three, the first one does.
        try enqueue(other)
        try enqueue(one)
        try enqueue(other)
        isFailing.set(false)
        #expect(try drained(try process().storage) == ids)
    }

    @Test("what is enqueued blindly after the clock was set back comes behind what nobody can read")
    func enqueuedBlindlyUnderAnEarlierClock() throws {
        let disk = SimulatedDisk.prepared()
        var ids: [OperationID] = []
        func enqueue(at time: Int64, _ outbox: Outbox<FileStorage>) throws {
            let time = WallTime(millisecondsSinceEpoch: time)
            ids.append(OperationID(time: time, random: (0, UInt64(ids.count))))
            try outbox.enqueue(kind: "note", payload: [1], id: ids.last!, orderingKey: lane)
        }
        try enqueue(at: 1_800_000_000_000, try FileScenario.open(disk))
        try enqueue(at: 1_800_000_000_001, try blind(on: disk))
        // The year 2018, and moments before that.
        for time: Int64 in [1_530_000_000_000, 1_529_999_999_999, 1_500_000_000_000] {
            try enqueue(at: time, try blind(on: disk))
        }
        #expect(try drained(try FileScenario.open(disk).storage) == ids)
    }

    /// An outbox that cannot read its files.
    private func blind(on disk: SimulatedDisk) throws -> Outbox<FileStorage> {
        try FileScenario.open(
            InterposedFiles(disk) { operation throws(FileError) in
                if case .length = operation { throw FileError(code: EIO) }
                return true
            }
        )
    }
}
