import OutboxCore
import Testing

@testable import RelayRules

@Suite("The cursor of a queue")
struct QueueCursorTests {
    private static let shards: Set = [1, 2]

    /// The identifier of a memo's mail of a time in seconds.
    private func id(_ seconds: Int64) -> OperationID {
        let time = WallTime(millisecondsSinceEpoch: 1_800_000_000_000 + seconds * 1000)
        return OperationID(time: time, random: (5, 6))
    }

    private func new(_ seconds: Int64) -> FairChoice.Position {
        FairChoice.Position(due: 0, id: id(seconds).bytes)
    }

    private func cursor() -> QueueCursor {
        var cursor = QueueCursor()
        #expect(cursor.begin(Self.shards, now: .seconds(100)).isEmpty)
        cursor.found(new(50), .new)
        cursor.found(FairChoice.Position(due: 77, id: id(9).bytes), .tried)
        return cursor
    }

    @Test("the next search begins shortly before the first mail of the last one")
    func hint() {
        var cursor = cursor()
        let starts = cursor.begin(Self.shards, now: .seconds(101))
        #expect(starts[.new].map { $0 < new(49) && new(47) < $0 } == true)
        // All mails of that time, and none of an earlier one.
        #expect(starts[.tried] == FairChoice.Position(due: 77, id: []))
    }

    @Test("a search begins at the beginning after a while, for other shards, and when told so")
    func beginning() {
        var cursor = cursor()
        var late = cursor
        #expect(!late.begin(Self.shards, now: Milliseconds(102_999)).isEmpty)
        #expect(late.begin(Self.shards, now: .seconds(103)).isEmpty)
        var other = cursor
        #expect(other.begin([1, 2, 3], now: .seconds(101)).isEmpty)
        cursor.reset()
        // Also when a search was under way.
        cursor.found(new(50), .new)
        #expect(cursor.begin(Self.shards, now: .seconds(101)).isEmpty)
    }

    @Test("what this process queues is found by the next search", arguments: [false, true])
    func queued(duringASearch: Bool) {
        var cursor = cursor()
        if duringASearch {
            _ = cursor.begin(Self.shards, now: .seconds(101))
            cursor.queued(id(20))
            cursor.queued(id(30))
            cursor.found(new(50), .new)
        } else {
            cursor.queued(id(20))
        }
        let starts = cursor.begin(Self.shards, now: .seconds(101))
        #expect(starts[.new].map { $0 < new(20) } == true)
    }

    @Test("an identifier of a time before 1970, and one that is none, are no trap")
    func odd() {
        var cursor = cursor()
        cursor.queued(OperationID(high: 1, low: 1))
        cursor.found(FairChoice.Position(due: 0, id: [1]), .new)
        let start = cursor.begin(Self.shards, now: .seconds(101))[.new]
        #expect(start == FairChoice.Position(due: 0, id: []))
    }
}
