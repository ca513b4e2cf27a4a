import OfflineFirstTesting
import OutboxCore
import StoreCore
import SyncCore
import SyncWorlds
import Testing

/// What others fell into. Each name says whose trap it is.
@Suite("Traps of offline-first", .timeLimit(.minutes(60)))
struct TrapTests {
    @Test("rows written between two pulls at one time are all pulled (WatermelonDB #649, #1219)")
    func equalTimes() {
        var lab = Lab(devices: 2)
        let first = lab.create(["a": [1]])
        lab.sync(on: 0)
        lab.sync(on: 1)
        let second = lab.create(["a": [2]])
        lab.sync(on: 0)
        lab.sync(on: 1)
        #expect(lab.machine(1).shown.count == 2)
        #expect(lab.machine(1).shown.count == lab.server.live.count)
        #expect(lab.machine(0).name(first) != lab.machine(0).name(second))
        #expect(lab.violations.isEmpty)
    }

    @Test("as many changes as a page has rows end the pull (RxDB #3727)", arguments: 0...9)
    func fullPages(count: Int) {
        var lab = Lab(devices: 2)
        for number in 0..<count { _ = lab.create(["a": [UInt8(number)]]) }
        lab.sync(on: 0)
        lab.sync(on: 1)
        #expect(lab.machine(1).shown.count == count)
        #expect(!lab.machine(1).isSyncing)
        #expect(lab.violations.isEmpty)
    }

    @Test("an interrupted push is never marked done (RxDB #8285, #7259)")
    func interruptedPush() {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        lab.lose(.push)
        lab.giveUp(.push)
        #expect(lab.word(key) == .unknown)
        #expect(lab.machine(0).pendingCount == 1)
        lab.sync()
        #expect(lab.word(key) == .confirmed)
        #expect(lab.server.live.count == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("an edit during a push is not confirmed by it (WatermelonDB #1374)")
    func editDuringPush() {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        lab.deliver(.push)
        lab.update(key, ["a": [2]])
        lab.deliver(.answered)
        #expect(lab.word(key) == .sending)
        #expect(lab.value(key, "a") == [2])
        #expect(lab.machine(0).pendingCount == 1)
        lab.settle()
        #expect(lab.server.live.values.first?.fields[WorldRules.a]?.value == [2])
        // It was made on what the first one became.
        #expect(lab.world.tally.conflicts == 0)
        #expect(lab.violations.isEmpty)
    }

    @Test("the answer to an older pull is not taken over a newer one (SWR #425, #1965)")
    func staleAnswer() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]])
        lab.sync(on: 0)
        lab.tell(.woken, on: 1)
        lab.deliver(.pull, on: 1)
        lab.giveUp(.pull, on: 1)
        lab.update(key, ["a": [2]])
        lab.sync(on: 0)
        lab.tell(.woken, on: 1)
        while lab.deliver(.pull, on: 1) {}
        // The first of the two answers is the older one.
        lab.deliver(.pulled, on: 1)
        #expect(lab.machine(1).shown.isEmpty)
        lab.settle()
        #expect(lab.machine(1).shown.map { $0.fields[WorldRules.a]?.value } == [[2]])
        #expect(lab.violations.isEmpty)
    }

    @Test("starting twice applies nothing twice (TanStack #921)")
    func startTwice() {
        var lab = Lab()
        _ = lab.create(["a": [1]])
        lab.tell(.woken)
        lab.tell(.woken)
        lab.restart()
        lab.tell(.woken)
        lab.tell(.woken)
        lab.settle()
        lab.sync()
        #expect(lab.server.live.count == 1)
        #expect(lab.machine(0).shown.count == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("a pull at reconnect does not overtake pending writes (TanStack #1323)")
    func pullUnderPending() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1]], kind: 1)
        lab.sync(on: 0)
        lab.sync(on: 1)
        let name = lab.machine(0).name(key)
        lab.update(name, ["a": [3]], on: 1)
        lab.lose(.push, on: 1)
        lab.giveUp(.push, on: 1)
        lab.update(key, ["a": [2]])
        lab.sync(on: 0)
        lab.tell(.woken, on: 1)
        while lab.deliver(.pull, on: 1) || lab.deliver(.pulled, on: 1) {}
        #expect(lab.value(name, "a", on: 1) == [3])
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("nothing flickers between answer and echo, and the next change leaves (TanStack #1602)")
    func echo() {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        lab.deliver(.push)
        lab.deliver(.answered)
        #expect(lab.value(key, "a") == [1])
        #expect(lab.word(key) == .confirmed)
        lab.update(key, ["a": [2]])
        #expect(lab.messages(.push) == 1)
        #expect(lab.value(key, "a") == [2])
        lab.settle()
        lab.sync()
        #expect(lab.value(key, "a") == [2])
        #expect(lab.violations.isEmpty)
    }

    @Test("a record is never there twice, as temporary and real (TanStack #893)")
    func temporaryAndReal() {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        lab.deliver(.push)
        lab.tell(.woken)
        lab.deliver(.pull)
        lab.deliver(.pulled)
        #expect(lab.machine(0).shown.count == 1)
        #expect(lab.value(key, "a") == [1])
        lab.settle()
        #expect(lab.machine(0).shown.count == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("a deletion and the creation after it both arrive (SQLiteData #418)")
    func deleteThenPut() {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "z": [9]])
        lab.sync(on: 0)
        lab.delete(key)
        lab.put(key, ["a": [2], "z": [9]])
        lab.settle()
        lab.sync(on: 0)
        lab.sync(on: 1)
        #expect(lab.value(lab.machine(0).name(key), "a", on: 1) == [2])
        #expect(lab.server.history.count == 3)
        #expect(lab.violations.isEmpty)
    }

    @Test("one refused change does not hold up others, nor vanish (PowerSync #307, #308)")
    func refusal() {
        var lab = Lab()
        let refused = lab.create(["a": [0xFF]])
        let other = lab.create(["a": [1]])
        lab.sync()
        #expect(lab.word(other) == .confirmed)
        #expect(lab.word(refused) == .refused)
        #expect(lab.machine(0).entries.count == 1)
        // Also after a restart (Replicache #466).
        lab.restart()
        lab.sync()
        #expect(lab.machine(0).entries.first?.change.fields.first?.value == [0xFF])
        #expect(lab.value(refused, "a") == [0xFF])
        lab.choose(.edit)
        lab.settle()
        lab.sync()
        #expect(lab.word(refused) == .confirmed)
        #expect(lab.violations.isEmpty)
    }

    @Test("a change behind a refused one waits, and comes once (LiveStore)")
    func behindRefusal() {
        var lab = Lab()
        let key = lab.create(["a": [1], "b": [1]])
        lab.sync()
        lab.update(key, ["a": [0xFF]])
        lab.update(key, ["b": [2]])
        lab.settle()
        #expect(lab.word(key) == .refused)
        #expect(lab.value(key, "b") == [2])
        #expect(lab.server.history.count == 1)
        lab.choose(.discard)
        lab.settle()
        lab.sync()
        #expect(lab.value(key, "a") == [1])
        #expect(lab.value(key, "b") == [2])
        #expect(lab.server.history.count == 2)
        #expect(lab.violations.isEmpty)
    }

    @Test("manual takes neither version by itself")
    func manual() {
        for choice in [Lab.Choice.tryAgain, .discard] {
            var lab = Lab(devices: 2)
            let key = lab.create(["a": [1]], kind: 3)
            lab.sync(on: 0)
            lab.sync(on: 1)
            let name = lab.machine(0).name(key)
            lab.update(name, ["a": [2]])
            lab.sync(on: 0)
            lab.update(name, ["a": [3]], on: 1)
            lab.settle()
            #expect(lab.word(name, on: 1) == .refused)
            #expect(lab.value(name, "a", on: 1) == [3])
            #expect(lab.machine(1).entries.first?.server?.fields[WorldRules.a]?.value == [2])
            #expect(lab.server.history.count == 2)
            lab.choose(choice, on: 1)
            lab.settle()
            lab.sync(on: 1)
            #expect(lab.value(name, "a", on: 1) == (choice == .tryAgain ? [3] : [2]))
            lab.heal()
            #expect(lab.violations.isEmpty)
        }
    }

    @Test("pulling everything again deletes nothing that is pending")
    func refresh() {
        var lab = Lab()
        let key = lab.create(["a": [1], "b": [1]])
        lab.sync()
        lab.update(key, ["a": [2]])
        let other = lab.create(["a": [5]])
        lab.tell(.refresh)
        #expect(lab.value(key, "a") == [2])
        lab.settle()
        lab.sync()
        #expect(lab.value(key, "a") == [2])
        #expect(lab.value(other, "a") == [5])
        #expect(lab.violations.isEmpty)
    }

    @Test("a server that contradicts itself makes an entry, no endless upload (PowerSync)")
    func contradiction() throws {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        lab.sync()
        lab.update(key, ["a": [2]])
        guard let change = lab.machine().record(lab.machine().name(key))?.changes.first else {
            Issue.record("no change")
            return
        }
        let row = lab.server.rows[lab.machine().name(key)]
        lab.tell(
            .answered(
                change.id,
                attempt: 0,
                .conflict(row, stamp: change.stamp),
                serverTime: lab.server.now
            )
        )
        #expect(lab.messages(.push) == 1)
        #expect(lab.machine().entries.first?.reason == .contradiction)
    }

    @Test("the answer to another device's change confirms nothing")
    func foreignAnswer() throws {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        lab.sync()
        lab.update(key, ["a": [2]])
        let change = try #require(lab.machine().record(lab.machine().name(key))?.changes.first)
        lab.tell(
            .answered(
                change.id,
                attempt: 0,
                .accepted(id: [99], version: 9, stamp: change.stamp),
                serverTime: lab.server.now
            )
        )
        #expect(lab.machine().entries.first?.reason == .contradiction)
        #expect(lab.value(key, "a") == [2])
    }

    @Test("a counter that is older than its rows does not block (sqlite-core #162)")
    func counterBehindRows() throws {
        var lab = Lab()
        let meta = lab.machine().meta
        _ = lab.create(["a": [1]])
        var machine = SyncMachine<WorldRules, NoIndexes<ShownRecord>>(
            meta: meta,
            records: lab.machine().stored,
            rules: WorldRules()
        )
        let key = RecordKey(kind: [0], id: [0xEE, 1, 1])
        let effects = try machine.create(
            key,
            [Field(name: WorldRules.a, value: [2])],
            now: WallTime(millisecondsSinceEpoch: 1)
        )
        let number = machine.record(key)?.changes.first?.id.number
        #expect(number == 2)
        #expect(effects.contains { if case .push = $0 { true } else { false } })
    }

    @Test("the time of the last pull never goes back (powersync.dart #253)")
    func lastPulled() {
        var lab = Lab()
        lab.sync()
        let first = lab.machine().meta.lastPulled
        lab.server.now = WallTime(millisecondsSinceEpoch: 5)
        lab.sync()
        #expect(first != nil && lab.machine().meta.lastPulled == first)
        lab.server.now = WallTime(millisecondsSinceEpoch: 2_000_000_000)
        lab.sync()
        #expect(lab.machine().meta.lastPulled == lab.server.now)
    }

    @Test("devices are equal after concurrent edits (SQLiteData #274)", arguments: UInt8(0)...4)
    func concurrentEdits(kind: UInt8) {
        var lab = Lab(devices: 3)
        let key = lab.create(["a": [1], "b": [1]], kind: kind)
        for device in 0...2 { lab.sync(on: device) }
        let name = lab.machine().name(key)
        for device in 0...2 {
            lab.update(name, ["a": [UInt8(10 + device)]], on: device)
            lab.update(name, ["b": [UInt8(20 + device)], "g": [UInt8(device)]], on: device)
        }
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a kind and fields of a newer build do not empty a page, and survive (SQLiteData #492)")
    func unknownKindsAndFields() throws {
        var lab = Lab(devices: 2)
        let strange = lab.create(["newer": [1], "a": [2]], kind: 99)
        let known = lab.create(["a": [3], "newer": [4]])
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        let names = [lab.machine().name(strange), lab.machine().name(known)]
        #expect(lab.value(names[0], "newer", on: 1) == [1])
        lab.update(names[1], ["a": [5]], on: 1)
        lab.delete(names[0], on: 1)
        lab.put(names[0], ["newer": [1], "a": [2]], on: 1)
        lab.sync(on: 1)
        lab.restart(on: 1)
        lab.sync(on: 1)
        #expect(lab.server.rows[names[1]]?.fields[Array("newer".utf8)]?.value == [4])
        #expect(lab.server.rows[names[0]]?.fields[Array("newer".utf8)]?.value == [1])
        #expect(lab.violations.isEmpty)
    }

    @Test("only an answer for this change and this attempt confirms (thunderbolt #944)")
    func strangeAnswers() {
        var lab = Lab()
        let key = lab.create(["a": [1]])
        guard let change = lab.machine().record(key)?.changes.first else {
            Issue.record("no change")
            return
        }
        let accepted = PushAnswer.accepted(id: [7], version: 1, stamp: change.stamp)
        let others = [
            (ChangeID(number: 2, node: change.id.node), UInt32(0)),
            (ChangeID(number: 1, node: NodeID(high: 1, low: 1)), 0),
            (change.id, 1),
        ]
        for (id, attempt) in others {
            lab.tell(
                .answered(id, attempt: attempt, accepted, serverTime: lab.server.now)
            )
        }
        // An answer to a question that was not asked.
        lab.tell(.asked(change.id, attempt: 0, accepted, serverTime: lab.server.now))
        #expect(lab.word(key) == .sending)
        #expect(lab.machine().pendingCount == 1)
    }

    @Test("each temporary identifier is its own, and leads to its record for ever (-1)")
    func temporaryIdentifiers() throws {
        var lab = Lab()
        let first = lab.create(["a": [1]])
        let second = lab.create(["a": [2]])
        lab.update(second, ["r": first.id])
        lab.sync()
        lab.sync()
        #expect(lab.value(first, "a") == [1])
        #expect(lab.value(second, "a") == [2])
        #expect(lab.value(second, "r") == lab.machine().name(first).id)
        lab.update(first, ["b": [3]])
        lab.sync()
        #expect(lab.server.rows[lab.machine().name(first)]?.fields[WorldRules.b]?.value == [3])
        var machine = lab.machine()
        #expect(throws: SyncEditError.recordExists) {
            _ = try machine.create(first, [], now: WallTime(millisecondsSinceEpoch: 0))
        }
        #expect(lab.violations.isEmpty)
    }

    @Test("a change that refers to a new record waits for its identifier, also behind it")
    func references() {
        var lab = Lab()
        let first = lab.create(["a": [0xFF]])
        let second = lab.create(["a": [2], "r": first.id])
        lab.update(second, ["b": [2]])
        lab.sync()
        #expect(lab.word(first) == .refused)
        #expect(lab.word(second) == .pending)
        #expect(lab.server.history.isEmpty)
        var given = lab
        lab.choose(.edit)
        lab.sync()
        lab.sync()
        #expect(lab.value(second, "r") == lab.machine().name(first).id)
        #expect(lab.machine().pendingCount == 0)
        #expect(lab.violations.isEmpty)
        given.choose(.discard)
        #expect(given.machine().entries.map(\.reason) == [.referenceDiscarded])
        given.heal()
        #expect(given.violations.isEmpty)
    }

    @Test("the queue is not sorted by the wall clock")
    func wallClock() {
        var lab = Lab(underWay: 1)
        lab.setClock(to: 9_000_000_000)
        _ = lab.create(["a": [1]])
        lab.setClock(to: 5)
        let later = lab.create(["a": [2]])
        lab.lose(.push)
        lab.restart()
        lab.settle()
        lab.sync()
        lab.sync()
        let values = lab.server.history.map { $0.fields[WorldRules.a]?.value }
        #expect(values == [[1], [2]])
        #expect(lab.word(later) == .confirmed)
        #expect(lab.violations.isEmpty)
    }

    @Test("a queue has a limit, told at once")
    func limit() {
        var machine = SyncMachine<WorldRules, NoIndexes<ShownRecord>>(
            node: NodeID(high: 1, low: 1),
            rules: WorldRules(),
            limits: SyncLimits(pending: 2, names: 4, value: 8)
        )
        let now = WallTime(millisecondsSinceEpoch: 0)
        let long = Field(name: WorldRules.r, value: [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(throws: SyncEditError.tooLarge) {
            _ = try machine.create(RecordKey(kind: [0], id: [1]), [long], now: now)
        }
        let invalid = Field(name: WorldRules.a, value: [1, 2, 3, 4])
        #expect(throws: SyncEditError.invalid) {
            _ = try machine.create(RecordKey(kind: [0], id: [1]), [invalid], now: now)
        }
        #expect(throws: Never.self) {
            _ = try machine.create(RecordKey(kind: [0], id: [1]), [], now: now)
            _ = try machine.create(RecordKey(kind: [0], id: [2]), [], now: now)
        }
        #expect(throws: SyncEditError.full) {
            _ = try machine.create(RecordKey(kind: [0], id: [3]), [], now: now)
        }
        #expect(machine.pendingCount == 2)
    }
}
