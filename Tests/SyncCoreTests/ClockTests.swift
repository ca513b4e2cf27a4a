import OfflineFirstTesting
import OutboxCore
import StoreCore
import SyncCore
import SyncWorlds
import Testing

/// A clock that neither stalls nor dominates.
@Suite("Clocks", .timeLimit(.minutes(60)))
struct ClockTests {
    private static let year: Int64 = 31_536_000_000

    /// Two devices that share a record of the kind `newerWins`.
    private func shared() -> (Lab, RecordKey) {
        var lab = Lab(devices: 2)
        let key = lab.create(["a": [1], "b": [1]], kind: 2)
        lab.sync()
        lab.sync()
        lab.sync(on: 1)
        return (lab, lab.machine().name(key))
    }

    @Test("a device years ahead is neither refused nor wins for years (evolu #709, Actual)")
    func yearsAhead() {
        var (lab, key) = shared()
        lab.setClock(on: 0, to: lab.server.now.millisecondsSinceEpoch + 5 * Self.year)
        lab.update(key, ["a": [2]])
        lab.sync()
        let stamp = lab.server.rows[key]?.fields[WorldRules.a]?.stamp
        #expect(stamp?.time == lab.server.now.advanced(by: SyncClock.tolerance))
        lab.sync()
        // The author takes it, too.
        let own = lab.machine().record(key)?.base?.fields[WorldRules.a]?.stamp
        #expect(own == stamp)
        // Two minutes later an edit of a device with a right clock is newer.
        lab.server.now = lab.server.now.advanced(by: .seconds(120))
        lab.setClock(on: 1, to: lab.server.now.millisecondsSinceEpoch)
        lab.update(key, ["a": [3]], on: 1)
        lab.settle()
        lab.sync(on: 0)
        #expect(lab.value(key, "a") == [3])
        lab.heal()
        #expect(lab.violations.isEmpty)
    }

    @Test("a clock that was set right again goes on at once")
    func noStall() {
        var (lab, key) = shared()
        lab.setClock(on: 0, to: lab.server.now.millisecondsSinceEpoch + 5 * Self.year)
        lab.update(key, ["a": [2]])
        lab.sync()
        lab.server.now = lab.server.now.advanced(by: .seconds(120))
        lab.setClock(on: 0, to: lab.server.now.millisecondsSinceEpoch)
        lab.update(key, ["a": [3]])
        let stamp = lab.machine().record(key)?.changes.last?.stamp
        #expect(stamp?.time == lab.server.now)
    }

    @Test("an edit of long ago is taken as it is (hlclock PR 22)")
    func longAgo() {
        var (lab, key) = shared()
        let then = lab.server.now
        lab.setClock(on: 1, to: then.millisecondsSinceEpoch)
        lab.update(key, ["b": [9]], on: 1)
        let made = lab.machine(1).record(key)?.changes.first?.stamp.time
        lab.server.now = then.advanced(by: Milliseconds(Self.year))
        lab.settle()
        let time = lab.server.rows[key]?.fields[WorldRules.b]?.stamp.time
        #expect(made != nil && time == made)
        #expect(time.map { $0.since(then) < .seconds(1) } == true)
        #expect(lab.violations.isEmpty)
    }

    @Test("a stamp after a received one is later than both clocks (calimero #2662)")
    func received() {
        var (lab, key) = shared()
        let ahead = lab.server.now.advanced(by: .seconds(30)).millisecondsSinceEpoch
        lab.setClock(on: 0, to: ahead)
        // Many changes, so that the number of the other device is greater, too.
        for value in UInt8(2)...9 { lab.update(key, ["a": [value]]) }
        lab.settle()
        lab.sync(on: 1)
        lab.setClock(on: 1, to: lab.server.now.millisecondsSinceEpoch)
        lab.update(key, ["a": [20]], on: 1)
        let mine = lab.machine(1).record(key)?.changes.last?.stamp
        let theirs = lab.machine(1).record(key)?.base?.fields[WorldRules.a]?.stamp
        #expect(mine != nil && theirs != nil)
        if let mine, let theirs { #expect(theirs < mine) }
    }

    @Test("clamped stamps of one device keep their order, whatever arrives first")
    func clampedOrder() {
        for isReversed in [false, true] {
            var lab = Lab()
            lab.setClock(to: lab.server.now.millisecondsSinceEpoch + 5 * Self.year)
            _ = lab.create(["a": [1]])
            _ = lab.create(["a": [2]])
            if isReversed {
                lab.lose(.push)
                lab.giveUp(.push)
            }
            lab.settle()
            lab.server.now = lab.server.now.advanced(by: .seconds(30))
            lab.sync()
            lab.sync()
            let stamps = lab.server.rows.values.compactMap { $0.fields.first?.stamp }
                .sorted { $0.id < $1.id }
            #expect(stamps.count == 2)
            #expect(stamps == stamps.sorted())
            #expect(lab.violations.isEmpty)
        }
    }

    @Test("a repeated push gets the first clamped stamp again")
    func repeatedPush() {
        var lab = Lab()
        lab.setClock(to: lab.server.now.millisecondsSinceEpoch + 5 * Self.year)
        let key = lab.create(["a": [1]])
        lab.deliver(.push, isRepeated: true)
        let first = lab.server.history.first?.fields.first?.stamp
        lab.lose(.answered)
        lab.server.now = lab.server.now.advanced(by: .seconds(45))
        lab.deliver(.push)
        lab.deliver(.answered)
        let held = lab.machine().record(lab.machine().name(key))?.changes.first?.stamp
        #expect(held != nil && held == first)
        #expect(lab.server.history.count == 1)
        #expect(lab.violations.isEmpty)
    }

    @Test("an edit that changes nothing takes no stamp")
    func nothing() {
        var (lab, key) = shared()
        let before = lab.machine().meta.clock.number
        lab.update(key, ["a": [1], "b": [1]])
        #expect(lab.machine().meta.clock.number == before)
        #expect(lab.machine().pendingCount == 0)
    }

    @Test("a server that is a wrong device's clock is not needed to make stamps")
    func serverTime() {
        var (lab, key) = shared()
        lab.setClock(on: 0, to: lab.server.now.millisecondsSinceEpoch + 5 * Self.year)
        lab.update(key, ["a": [2]])
        lab.tell(.timeTold(lab.server.now))
        lab.setClock(on: 0, to: lab.server.now.millisecondsSinceEpoch)
        lab.update(key, ["a": [3]])
        let time = lab.machine().record(key)?.changes.last?.stamp.time
        #expect(time == lab.server.now.advanced(by: SyncClock.tolerance))
    }

    @Test("a restored backup is found by its numbers, takes a new node, and doubles nothing")
    func restoredBackup() throws {
        var lab = Lab()
        _ = lab.create(["a": [1]])
        lab.sync()
        // The backup has a creation that is not sent.
        _ = lab.create(["a": [2]])
        let backup = lab.copy()
        lab.settle()
        lab.update(lab.machine().name(RecordKey(kind: [0], id: [0xEE, 0, 1])), ["a": [3]])
        lab.settle()
        lab.sync()
        #expect(lab.server.live.count == 2)
        lab.restore(backup)
        _ = lab.create(["a": [4]])
        lab.sync()
        lab.sync()
        #expect(lab.machine().meta.clock.node != backup.node)
        #expect(lab.server.live.count == 3)
        #expect(lab.machine().pendingCount == 0)
        #expect(lab.machine().shown.count == 3)
    }

    @Test("two clones of one device lose no edit to each other")
    func clones() {
        var lab = Lab()
        let key = lab.create(["a": [1], "b": [1]], kind: 1)
        lab.sync()
        lab.sync()
        let clone = lab.clone(0)
        lab.update(key, ["a": [2]])
        lab.update(lab.machine().name(key), ["b": [3]], on: clone)
        lab.heal()
        #expect(lab.server.rows[lab.machine().name(key)]?.fields[WorldRules.a]?.value == [2])
        #expect(lab.server.rows[lab.machine().name(key)]?.fields[WorldRules.b]?.value == [3])
        #expect(lab.machine(0).meta.clock.node != lab.machine(clone).meta.clock.node)
        #expect(lab.violations.isEmpty)
    }

    @Test("nodes that differ in one bit are two nodes (a 30-bit hash collides)")
    func nodes() {
        let node = NodeID(high: 1, low: 1)
        for bit in UInt64(0)..<64 {
            #expect(NodeID(high: 1 ^ 1 << bit, low: 1) != node)
            #expect(NodeID(high: 1, low: 1 ^ 1 << bit) != node)
        }
    }
}
