import OfflineFirstTesting
import OutboxCore
import StoreCore
import SyncCore
import SyncWorlds
import Testing

/// The promises of the policies.
@Suite("Conflicts", .timeLimit(.minutes(60)))
struct ConflictTests {
    /// Two devices change a record that both have; the first one's change reaches the server first.
    private func met(
        kind: UInt8,
        _ first: [String: [UInt8]],
        _ second: [String: [UInt8]],
        isSecondLater: Bool = true
    ) -> (Lab, RecordKey) {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [1], "g": [1], "h": [1]], kind: kind)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        let now = lab.server.now.millisecondsSinceEpoch
        lab.setClock(on: 0, to: now + (isSecondLater ? 10 : 20_000))
        lab.setClock(on: 1, to: now + (isSecondLater ? 20_000 : 10))
        lab.update(name, first)
        lab.sync()
        lab.update(name, second, on: 1)
        lab.sync(on: 1)
        lab.sync(on: 1)
        lab.sync()
        return (lab, name)
    }

    @Test("changes of different fields never meet, under any policy", arguments: UInt8(0)...4)
    func differentFields(kind: UInt8) {
        let (lab, key) = met(kind: kind, ["a": [2]], ["b": [3]])
        #expect(lab.value(key, "a") == [2])
        #expect(lab.value(key, "b") == [3])
        #expect(lab.machine(1).pendingCount == 0)
        #expect(lab.violations.isEmpty)
    }

    @Test("serverWins keeps the change that was first, and the other's other fields")
    func serverWins() {
        let (lab, key) = met(kind: 0, ["a": [2]], ["a": [3], "b": [3]])
        #expect(lab.value(key, "a") == [2])
        #expect(lab.value(key, "b") == [3])
        #expect(lab.world.tally.overruled == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("clientWins keeps the change that comes last")
    func clientWins() {
        let (lab, key) = met(kind: 1, ["a": [2]], ["a": [3]], isSecondLater: false)
        #expect(lab.value(key, "a") == [3])
        #expect(lab.world.tally.overruled == 0)
        #expect(lab.violations.isEmpty)
    }

    @Test("newerWins keeps the later change, field by field", arguments: [true, false])
    func newerWins(isSecondLater: Bool) {
        let (lab, key) = met(
            kind: 2,
            ["a": [2], "b": [2]],
            ["a": [3], "g": [3]],
            isSecondLater: isSecondLater
        )
        #expect(lab.value(key, "a") == (isSecondLater ? [3] : [2]))
        #expect(lab.value(key, "b") == [2])
        #expect(lab.value(key, "g") == [3])
        #expect(lab.violations.isEmpty)
    }

    @Test("a group is decided as a whole", arguments: [true, false])
    func groups(isSecondLater: Bool) {
        let (lab, key) = met(kind: 2, ["g": [2]], ["h": [3]], isSecondLater: isSecondLater)
        #expect(lab.value(key, "g") == (isSecondLater ? [1] : [2]))
        #expect(lab.value(key, "h") == (isSecondLater ? [3] : [1]))
        #expect(lab.violations.isEmpty)
    }

    @Test("equal values meet in peace, under any policy", arguments: UInt8(0)...4)
    func equalValues(kind: UInt8) {
        let (lab, key) = met(kind: kind, ["a": [2]], ["a": [2]])
        #expect(lab.value(key, "a") == [2])
        #expect(lab.server.history.count == 2)
        #expect(lab.world.tally.overruled == 0)
        #expect(lab.machine(1).entries.isEmpty)
    }

    @Test("the app's merge is stored if it is valid, else a person chooses")
    func merge() {
        let (lab, key) = met(kind: 4, ["a": [2]], ["a": [3]])
        #expect(lab.value(key, "a") == [2, 3])
        #expect(lab.world.tally.overruled == 0)
        let (invalid, other) = met(kind: 4, ["a": [2, 2]], ["a": [3, 3]])
        #expect(invalid.value(other, "a", on: 1) == [3, 3])
        #expect(invalid.word(other, on: 1) == .refused)
        #expect(invalid.server.rows[other]?.fields[WorldRules.a]?.value == [2, 2])
        #expect(invalid.violations.isEmpty)
    }

    @Test("an edit upon an edit that was merged is merged with the result, which nobody saw")
    func mergeBehind() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]], kind: 4)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [2]])
        lab.sync()
        lab.update(name, ["a": [3]], on: 1)
        lab.update(name, ["a": [4]], on: 1)
        for _ in 0...2 { lab.sync(on: 1) }
        lab.sync()
        #expect(lab.value(name, "a") == [2, 3, 4])
        #expect(lab.violations.isEmpty)
    }

    @Test("a value that the app's merge leaves out is told", arguments: [true, false])
    func mergeLeavesOut(isMine: Bool) {
        let effects = merged([Field(name: WorldRules.a, value: isMine ? [3] : [2])])
        let told = effects.contains { effect in
            guard case .overruled(_, _, let values) = effect else { return false }
            return values == [Field(name: WorldRules.a, value: [3])]
        }
        #expect(told == !isMine)
    }

    /// The effects of a conflict in which the server has 2, the person wrote 3, and the app's merge is
    /// these fields.
    private func merged(_ fields: [Field]) -> [SyncEffect] {
        struct Rules: SyncRules {
            let merged: [Field]
            func policy(for kind: [UInt8]) -> ConflictPolicy { .merge }
            func merge(
                _ kind: [UInt8],
                base: [Field],
                mine: [Field],
                theirs: [Field]?
            ) -> [Field]? { merged }
        }
        let server = NodeID(high: 2, low: 2)
        let key = RecordKey(kind: [4], id: [1])
        let row = { (version: UInt64) in
            let time = WallTime(millisecondsSinceEpoch: Int64(version))
            let stamp = Stamp(time: time, id: ChangeID(number: version, node: server))
            let field = Field(name: WorldRules.a, value: [UInt8(version)], stamp: stamp)
            return Row(key: key, version: version, fields: [field])
        }
        var machine = SyncMachine<Rules, NoIndexes<ShownRecord>>(
            node: NodeID(high: 1, low: 1),
            rules: Rules(merged: fields)
        )
        let now = WallTime(millisecondsSinceEpoch: 10)
        _ = machine.handle(.woken)
        let page = PullAnswer.page([row(1)], cursor: [1], hasMore: false)
        _ = machine.handle(.pulled(request: 1, page, serverTime: now))
        let edit = try? machine.update(
            key,
            [Field(name: WorldRules.a, value: [3])],
            now: now
        )
        for effect in edit ?? [] {
            guard case .push(let request) = effect else { continue }
            return machine.handle(
                .answered(
                    request.stamp.id,
                    attempt: request.attempt,
                    .conflict(row(2), stamp: request.stamp),
                    serverTime: now
                )
            )
        }
        return []
    }

    /// The second device edits what the first one has deleted, or the other way round.
    private func deleted(kind: UInt8, isEditLast: Bool) -> (Lab, RecordKey) {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [7]], kind: kind)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.setClock(on: 1, to: lab.server.now.millisecondsSinceEpoch + 10_000)
        if isEditLast { lab.delete(name) } else { lab.update(name, ["a": [2]]) }
        lab.sync()
        if isEditLast { lab.update(name, ["a": [3]], on: 1) } else { lab.delete(name, on: 1) }
        for _ in 0...1 {
            lab.sync(on: 1)
            lab.sync()
        }
        return (lab, name)
    }

    @Test("an edit meets a deletion", arguments: UInt8(0)...4)
    func editMeetsDeletion(kind: UInt8) {
        var (lab, key) = deleted(kind: kind, isEditLast: true)
        switch kind {
        case 0: #expect(lab.value(key, "a", on: 1) == nil)
        case 3:
            #expect(lab.word(key, on: 1) == .refused)
            #expect(lab.value(key, "a", on: 1) == [3])
            lab.choose(.tryAgain, on: 1)
            lab.settle()
            lab.sync()
            #expect(lab.value(key, "a") == [3])
            #expect(lab.value(key, "b") == [7])
        default:
            #expect(lab.value(key, "a") == [3])
            #expect(lab.value(key, "b") == [7])
        }
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a deletion meets an edit", arguments: UInt8(0)...4)
    func deletionMeetsEdit(kind: UInt8) {
        var (lab, key) = deleted(kind: kind, isEditLast: false)
        switch kind {
        case 0: #expect(lab.value(key, "a", on: 1) == [2])
        case 3, 4:
            #expect(lab.machine(1).entries.count == 1)
            lab.choose(.discard, on: 1)
            #expect(lab.value(key, "a", on: 1) == [2])
        default: #expect(lab.value(key, "a") == nil)
        }
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a deletion that gave way leaves nothing of the change that took it back")
    func takenBack() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [7]], kind: 0)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [2]])
        lab.sync()
        lab.delete(name, on: 1)
        lab.put(name, ["a": [1], "b": [8]], on: 1)
        lab.sync(on: 1)
        lab.sync(on: 1)
        #expect(lab.value(name, "a", on: 1) == [2])
        #expect(lab.value(name, "b", on: 1) == [8])
        // The deletion, and nothing else.
        #expect(lab.world.tally.overruled == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("an edit upon an edit that gave way meets the value that its own hid")
    func hiddenValue() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]])
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [2]], on: 1)
        lab.lose(.push, on: 1)
        lab.giveUp(.push, on: 1)
        lab.update(name, ["a": [9]])
        lab.sync()
        lab.tell(.woken, on: 1)
        while lab.deliver(.pull, on: 1) || lab.deliver(.pulled, on: 1) {}
        #expect(lab.machine(1).record(name)?.base?.fields[WorldRules.a]?.value == [9])
        lab.update(name, ["a": [3]], on: 1)
        lab.sync(on: 1)
        lab.sync(on: 1)
        #expect(lab.server.rows[name]?.fields[WorldRules.a]?.value == [9])
        #expect(lab.value(name, "a", on: 1) == [9])
        #expect(lab.world.tally.overruled == 2)
        #expect(lab.violations.isEmpty)
    }

    @Test("an answer that is older than a full pull brings no deleted record back")
    func answerBeforePull() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]])
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [0xFF]], on: 1)
        lab.deliver(.push, on: 1)
        lab.delete(name)
        lab.sync()
        lab.server.purge()
        lab.tell(.woken, on: 1)
        while lab.deliver(.pull, on: 1) || lab.deliver(.pulled, on: 1) {}
        #expect(lab.machine(1).record(name)?.base == nil)
        lab.deliver(.answered, on: 1)
        #expect(lab.word(name, on: 1) == .refused)
        lab.choose(.discard, on: 1)
        lab.settle()
        #expect(lab.machine(1).record(name) == nil)
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("an answer that is older than the row that is held does not keep it through a full pull")
    func answerBeforeRow() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]])
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [2]])
        lab.deliver(.push)
        lab.tell(.woken)
        while lab.deliver(.pull) || lab.deliver(.pulled) {}
        #expect(lab.machine().record(name)?.base?.version == 2)
        lab.sync(on: 1)
        lab.delete(name, on: 1)
        lab.sync(on: 1)
        lab.server.purge()
        lab.tell(.refresh)
        lab.deliver(.answered)
        #expect(lab.word(name) == .confirmed)
        lab.settle()
        #expect(lab.machine().record(name) == nil)
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a creation that is accepted in a full pull stays, although no page names it")
    func creationDuringFullPull() {
        var lab = Lab()
        lab.sync()
        let key = lab.create(["a": [1]])
        lab.tell(.refresh)
        lab.deliver(.pull)
        lab.deliver(.push)
        lab.deliver(.answered)
        lab.deliver(.pulled)
        #expect(lab.value(key, "a") == [1])
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a decision about a deletion is no view of the row for the change that took it back")
    func takenBackAfterDecision() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [1]], kind: 3)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.delete(name, on: 1)
        lab.put(name, ["a": [9], "b": [1]], on: 1)
        lab.update(name, ["a": [2]])
        lab.sync()
        lab.settle()
        #expect(lab.machine(1).entries.count == 1)
        lab.update(name, ["b": [3]])
        lab.sync()
        lab.choose(.tryAgain, on: 1)
        lab.settle()
        #expect(lab.machine(1).entries.count == 1)
        lab.choose(.discard, on: 1)
        lab.settle()
        #expect(lab.word(name, on: 1) == .refused)
        #expect(lab.value(name, "a") == [2])
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a change upon one that is discarded meets the value that this one hid")
    func hiddenByDiscarded() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [1]], kind: 3)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [2]])
        lab.sync()
        lab.update(name, ["a": [3]], on: 1)
        lab.settle()
        #expect(lab.word(name, on: 1) == .refused)
        lab.sync(on: 1)
        lab.delete(name, on: 1)
        lab.choose(.discard, on: 1)
        lab.settle()
        #expect(lab.word(name, on: 1) == nil)
        #expect(lab.machine(1).entries.count == 1)
        #expect(lab.value(name, "a") == [2])
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("an accepted change does not show what came before it, if its row was never pulled")
    func acceptedOnUnseen() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [1]])
        lab.deliver(.push)
        lab.deliver(.answered)
        let name = lab.machine().name(key)
        lab.sync(on: 1)
        lab.update(name, ["a": [2]], on: 1)
        lab.sync(on: 1)
        lab.update(name, ["b": [3]])
        while lab.deliver(.push) || lab.deliver(.answered) {}
        #expect(lab.machine().record(name)?.base == nil)
        #expect(lab.machine().pendingCount == 0)
        lab.update(name, ["a": [4]])
        lab.settle()
        lab.sync()
        #expect(lab.server.rows[name]?.fields[WorldRules.a]?.value == [2])
        #expect(lab.world.tally.overruled == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("a decision about a change is no view of the row for the change behind it")
    func behindDecision() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [1]], kind: 3)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.update(name, ["a": [3]], on: 1)
        lab.update(name, ["a": [4]], on: 1)
        lab.update(name, ["a": [2]])
        lab.sync()
        lab.settle()
        lab.update(name, ["a": [5]])
        lab.sync()
        lab.choose(.tryAgain, on: 1)
        lab.settle()
        #expect(lab.machine(1).entries.count == 1)
        lab.choose(.discard, on: 1)
        lab.settle()
        #expect(lab.word(name, on: 1) == .refused)
        #expect(lab.value(name, "a") == [5])
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("nothing is left of a record whose deletion has come back")
    func tombstones() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]])
        lab.sync()
        lab.sync(on: 1)
        let name = lab.machine().name(key)
        lab.delete(name)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        #expect(lab.machine(0).record(name) == nil)
        #expect(lab.machine(1).record(name) == nil)
        #expect(lab.violations.isEmpty)
    }
}
