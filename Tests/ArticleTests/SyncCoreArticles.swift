import OutboxCore
import StoreCore
import SyncCore
import Testing

// SyncCore

private struct Rules: SyncRules {
    func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }
}

@Suite("Articles of SyncCore")
struct SyncCoreArticles {
    @Test("a created record is shown at once, and has something to store and to push")
    func creating() throws {
        let node = NodeID(high: 1, low: 2)
        let key = RecordKey(kind: [1], id: Array(repeating: 7, count: 16))
        let (title, text) = ([UInt8]("title".utf8), [UInt8]("Buy milk".utf8))
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

        var machine = SyncMachine<Rules, NoIndexes<ShownRecord>>(node: node, rules: Rules())
        let effects = try machine.create(key, [Field(name: title, value: text)], now: now)

        #expect(machine.shown.count == 1)
        #expect(effects.count > 1)
    }
}
