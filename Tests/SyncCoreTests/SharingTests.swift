import OutboxCore
import StoreCore
import SyncCore
import Testing

/// Two machines over one storage, and a shell that chooses the moments of pushes.
@Suite struct SharingTests {
    private struct Rules: SyncRules {
        func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }
        func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? { field == [9] ? [1] : nil }
    }

    private typealias Machine = SyncMachine<Rules, NoIndexes<ShownRecord>>

    private let now = WallTime(millisecondsSinceEpoch: 1000)
    private let key = RecordKey(kind: [1], id: [1])
    private let other = RecordKey(kind: [1], id: [2])

    private func machine() -> Machine {
        Machine(
            node: NodeID(high: 1, low: 1),
            rules: Rules(),
            limits: SyncLimits(underWay: 0)
        )
    }

    @Test(
        "a machine shows, counts and sends what another one has stored, and forgets what it removed"
    )
    func takesOver() throws {
        var first = machine()
        var second = machine()
        _ = try first.create(key, [Field(name: [1], value: [1])], now: now)
        second.takeOver(first.meta, first.stored, removed: [])
        #expect(second.shown[EntityID(key)]?.values == [Field(name: [1], value: [1])])
        #expect(second.pendingCount == 1)
        _ = try second.update(key, [Field(name: [1], value: [2])], now: now)
        _ = try second.create(other, [Field(name: [1], value: [3])], now: now)
        first.takeOver(second.meta, second.stored, removed: [])
        #expect(first.pendingCount == 3)
        #expect(first.meta.clock.number == 3)
        first.takeOver(second.meta, [], removed: [key])
        #expect(first.pendingCount == 1)
        #expect(first.shown[EntityID(key)] == nil)
        #expect(first.shown[EntityID(other)] != nil)
    }

    @Test("a change that this machine sends stays under way, with another's changes behind it")
    func underWay() throws {
        var sender = machine()
        var editor = machine()
        _ = try sender.create(key, [Field(name: [1], value: [1])], now: now)
        let effects = sender.begin(key)
        #expect(effects.contains { if case .push = $0 { true } else { false } })
        editor.takeOver(sender.meta, try stored(sender), removed: [])
        #expect(editor.shown[EntityID(key)]?.word == .unknown)
        _ = try editor.update(key, [Field(name: [1], value: [2])], now: now)
        sender.takeOver(editor.meta, try stored(editor), removed: [])
        #expect(sender.shown[EntityID(key)]?.word == .sending)
        #expect(sender.pendingCount == 2)
    }

    /// The records as another process reads them.
    private func stored(_ machine: Machine) throws -> [SyncRecord] {
        try machine.stored.map { try SyncRecord(decoding: $0.encoded()) }
    }

    @Test(
        "nothing is pushed unless the shell begins it: the first change of the record, if it can be"
    )
    func begins() throws {
        var machine = machine()
        let edit = try machine.create(key, [Field(name: [1], value: [1])], now: now)
        #expect(edit == [.store([key])])
        _ = try machine.create(other, [Field(name: [9], value: [1])], now: now)
        #expect(machine.begin(other).isEmpty)
        let begun = machine.begin(key)
        guard case .push(let request) = begun.last else {
            Issue.record("no push")
            return
        }
        #expect(request.key == key)
        // A shell that sends nothing asks, whatever the record says.
        guard case .ask(let question) = machine.begin(key).last else {
            Issue.record("no question")
            return
        }
        #expect(question.id == request.stamp.id)
        _ = machine.handle(
            .asked(
                question.id,
                attempt: question.attempt,
                .refused("no", nil),
                serverTime: now
            )
        )
        #expect(machine.begin(key).isEmpty)
        #expect(machine.begin(RecordKey(kind: [1], id: [7])).isEmpty)
    }
}
