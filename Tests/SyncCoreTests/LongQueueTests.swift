import OutboxCore
import StoreCore
import SyncCore
import SyncWorlds
import Testing

/// Many changes that wait, pushed one by one by a shell that chooses the moment of each.
@Suite("Long queues", .timeLimit(.minutes(60)))
struct LongQueueTests {
    private typealias Machine = SyncMachine<WorldRules, NoIndexes<ShownRecord>>

    private let now = WallTime(millisecondsSinceEpoch: 10)
    private let keys = (0..<40).map { RecordKey(kind: [0], id: [UInt8($0)]) }

    private func row(_ key: RecordKey, _ version: UInt64) -> Row {
        let id = ChangeID(number: version, node: NodeID(high: 2, low: 2))
        let stamp = Stamp(time: now, id: id)
        return Row(
            key: key,
            version: version,
            fields: [Field(name: WorldRules.a, value: [UInt8(version)], stamp: stamp)]
        )
    }

    /// Answers the pulls that the machine asks for.
    private func pull(_ effects: [SyncEffect], _ rows: [Row], _ machine: inout Machine) {
        for case .pull(let request) in effects {
            let page = PullAnswer.page(rows, cursor: [UInt8(request.number)], hasMore: false)
            _ = machine.handle(.pulled(request: request.number, page, serverTime: now))
        }
    }

    private func edit(_ key: RecordKey, _ value: UInt8, _ machine: inout Machine) throws {
        _ = try machine.update(key, [Field(name: WorldRules.a, value: [value])], now: now)
    }

    @Test("each change is counted once, and none is called settled that waits")
    func counted() throws {
        var machine = Machine(
            node: NodeID(high: 1, low: 1),
            rules: WorldRules(),
            limits: SyncLimits(underWay: 0)
        )
        let rows = keys.enumerated().map { row($1, UInt64($0 + 1)) }
        pull(machine.handle(.woken), rows, &machine)
        for key in keys { try edit(key, 101, &machine) }
        var settled: UInt64 = 0
        for (position, key) in keys.enumerated() {
            for case .push(let request) in machine.begin(key) {
                #expect(request.settledThrough < request.stamp.id.number)
                #expect(request.settledThrough >= settled)
                settled = request.settledThrough
                let version = UInt64(position + 101)
                let answer = PushAnswer.accepted(id: key.id, version: version, stamp: request.stamp)
                let effects = machine.handle(
                    .answered(
                        request.stamp.id,
                        attempt: request.attempt,
                        answer,
                        serverTime: now
                    ),
                    of: key
                )
                pull(effects, [row(key, version)], &machine)
            }
            let left = keys.count - position - 1
            #expect(machine.pendingCount == left)
            // The record is among those with changes again, once.
            try edit(key, 200, &machine)
            #expect(machine.pendingCount == left + 1)
            #expect(machine.begin(key).contains { if case .push = $0 { true } else { false } })
            let id = try #require(machine.record(key)?.changes.first?.id)
            _ = machine.handle(
                .answered(id, attempt: 0, .refused("no", nil), serverTime: now),
                of: keys[0]
            )
            #expect(machine.entries.count == 1)
            _ = try machine.discard(id)
            #expect(machine.entries.isEmpty && machine.pendingCount == left)
        }
        #expect(settled > 20)
    }
}
