import OutboxCore
import StoreCore
import SyncCore
import SyncWorlds
import Testing

/// The records in the order of field `a`.
private struct ByFieldA: EntityIndexes {
    enum Order: IndexOrder {
        static func key(of record: ShownRecord) -> UInt8? {
            record.fields[WorldRules.a]?.value.last
        }
    }

    var byA = OrderedIndex<Order>()

    mutating func update(_ change: EntityChange<ShownRecord>) { byA.update(change) }
}

/// What an app shows of its records: in an order of its own, and what changed.
@Suite("Declared indexes", .timeLimit(.minutes(60)))
struct IndexTests {
    private typealias Machine = SyncMachine<WorldRules, ByFieldA>

    private let now = WallTime(millisecondsSinceEpoch: 1)

    private func key(_ id: UInt8) -> RecordKey { RecordKey(kind: [0], id: [id]) }

    /// A machine that has pulled the records 1 to 4, in whose field `a` is ten times their number.
    private func pulled() -> Machine {
        var machine = Machine(node: NodeID(high: 1, low: 1), rules: WorldRules())
        let rows = (UInt8(1)...4).map { number in
            let stamp = Stamp(
                time: now,
                id: ChangeID(number: UInt64(number), node: NodeID(high: 2, low: 2))
            )
            return Row(
                key: key(number),
                version: UInt64(number),
                fields: [Field(name: WorldRules.a, value: [number * 10], stamp: stamp)]
            )
        }
        for effect in machine.handle(.woken) {
            guard case .pull(let request) = effect else { continue }
            _ = machine.handle(
                .pulled(
                    request: request.number,
                    .page(rows, cursor: [1], hasMore: false),
                    serverTime: now
                )
            )
        }
        return machine
    }

    private func order(_ machine: Machine) -> [UInt8] {
        machine.shown.indexes.byA.map { $0.rawValue.id.last ?? 0 }
    }

    @Test("pending creations, edits and deletions are at their place in a declared index")
    func places() throws {
        var machine = pulled()
        #expect(order(machine) == [1, 2, 3, 4])
        _ = try machine.create(key(9), [Field(name: WorldRules.a, value: [25])], now: now)
        #expect(order(machine) == [1, 2, 9, 3, 4])
        _ = try machine.update(key(1), [Field(name: WorldRules.a, value: [35])], now: now)
        #expect(order(machine) == [2, 9, 3, 1, 4])
        _ = try machine.delete(key(3), now: now)
        #expect(order(machine) == [2, 9, 1, 4])
        _ = try machine.put(key(3), [Field(name: WorldRules.a, value: [5])], now: now)
        #expect(order(machine) == [3, 2, 9, 1, 4])
    }

    @Test("what changed is told by the tables of StoreCore: a refusal, an edit, its end")
    func changes() throws {
        var machine = pulled()
        let first = machine.shown
        let effects = try machine.update(
            key(1),
            [Field(name: WorldRules.a, value: [35])],
            now: now
        )
        var changed: [RecordKey] = []
        machine.shown.changes(since: first) { changed.append($0.id.rawValue) }
        #expect(changed == [key(1)])
        #expect(first[EntityID(key(1))]?.fields[WorldRules.a]?.value == [10])
        let second = machine.shown
        for effect in effects {
            guard case .push(let request) = effect else { continue }
            _ = machine.handle(
                .answered(
                    request.stamp.id,
                    attempt: 0,
                    .refused("too-long", nil),
                    serverTime: now
                )
            )
        }
        var words: [RecordWord?] = []
        machine.shown.changes(since: second) { words.append($0.new?.word) }
        #expect(words == [.refused])
        let entry = try #require(machine.entries.first)
        #expect(entry.reason == "too-long")
        #expect(entry.server?.fields[WorldRules.a]?.value == [10])
        _ = try machine.discard(entry.change.id)
        #expect(machine.shown == first)
        #expect(order(machine) == [1, 2, 3, 4])
    }

    @Test("the rename of a creation moves its row from one name to the other")
    func rename() throws {
        var machine = pulled()
        let effects = try machine.create(
            key(9),
            [Field(name: WorldRules.a, value: [25])],
            now: now
        )
        for effect in effects {
            guard case .push(let request) = effect else { continue }
            _ = machine.handle(
                .answered(
                    request.stamp.id,
                    attempt: 0,
                    .accepted(id: [7], version: 9, stamp: request.stamp),
                    serverTime: now
                )
            )
        }
        #expect(order(machine) == [1, 2, 7, 3, 4])
        #expect(machine.shown.count == 5)
        #expect(machine.name(key(9)) == key(7))
    }
}
