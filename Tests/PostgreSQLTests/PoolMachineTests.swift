import Testing

@testable import PostgreSQL

/// Who gets which connection of a pool, without a connection.
@Suite("The machine of a pool", .timeLimit(.minutes(60)))
struct PoolMachineTests {
    private let now = ContinuousClock.now

    private func machine(places: Int = 2, waiting: Int = 3) -> PoolMachine {
        PoolMachine(
            places: places,
            mostWaiting: waiting,
            patience: .seconds(5),
            pause: .seconds(1)
        )
    }

    @Test("the first caller gets a new connection, and the next one that connection")
    func reuse() {
        var machine = machine()
        #expect(machine.asked(by: 1, at: now) == .connect(0))
        #expect(machine.connected(0, at: now) == [.start(1, 0)])
        #expect(machine.worked(0, isUsable: true, at: now).isEmpty)
        #expect(machine.asked(by: 2, at: now) == .start(2, 0))
        #expect(machine.places == [.working, .empty])
    }

    @Test("a failed try to connect fails all that wait, at once, and those of the pause after it")
    func gone() {
        var machine = machine(places: 1)
        #expect(machine.asked(by: 1, at: now) == .connect(0))
        #expect(machine.asked(by: 2, at: now) == nil)
        let actions = machine.connectingFailed(0, .unreachable, at: now)
        #expect(actions == [.fail(1, .unreachable), .fail(2, .unreachable)])
        #expect(machine.asked(by: 3, at: now) == .fail(3, .unreachable))
        #expect(machine.asked(by: 4, at: now + .seconds(1)) == .connect(0))
    }

    @Test("a connection that breaks is replaced for the caller that waits")
    func broken() {
        var machine = machine(places: 1)
        _ = machine.asked(by: 1, at: now)
        _ = machine.connected(0, at: now)
        #expect(machine.asked(by: 2, at: now) == nil)
        #expect(machine.worked(0, isUsable: false, at: now) == [.connect(0)])
        #expect(machine.connected(0, at: now) == [.start(2, 0)])
    }

    @Test("where the server takes no further connection, callers wait for those that are there")
    func fewer() {
        var machine = machine()
        _ = machine.asked(by: 1, at: now)
        _ = machine.connected(0, at: now)
        #expect(machine.asked(by: 2, at: now) == .connect(1))
        #expect(machine.connectingFailed(1, .unreachable, at: now).isEmpty)
        #expect(machine.asked(by: 3, at: now) == nil)
        #expect(machine.worked(0, isUsable: true, at: now) == [.start(2, 0)])
        // The last connection breaks within the pause: nobody will serve the third caller.
        #expect(
            machine.worked(0, isUsable: false, at: now) == [.fail(3, .unreachable)]
        )
    }

    @Test("a caller that has waited enough fails, and one too many does not wait")
    func busy() {
        var machine = machine(places: 1, waiting: 2)
        _ = machine.asked(by: 1, at: now)
        _ = machine.asked(by: 2, at: now + .seconds(1))
        #expect(machine.asked(by: 3, at: now + .seconds(1)) == .fail(3, .busy))
        #expect(machine.nextDeadline == now + .seconds(5))
        #expect(machine.timePassed(at: now + .seconds(5)) == [.fail(1, .busy)])
        #expect(machine.nextDeadline == now + .seconds(6))
        #expect(machine.connected(0, at: now) == [.start(2, 0)])
    }

    @Test("a closed pool closes what is idle, and what works when its work is done")
    func closed() {
        var machine = machine()
        _ = machine.asked(by: 1, at: now)
        _ = machine.connected(0, at: now)
        _ = machine.asked(by: 2, at: now)
        _ = machine.connected(1, at: now)
        _ = machine.worked(0, isUsable: true, at: now)
        #expect(machine.closed() == [.close(0)])
        #expect(machine.worked(1, isUsable: true, at: now) == [.close(1)])
        #expect(machine.asked(by: 3, at: now) == .fail(3, .closed))
        #expect(machine.places == [.empty, .empty])
    }

    /// Every order of what can happen, up to a depth: each caller is answered once, and the invariants hold.
    @Test("in every order of what can happen, the invariants hold and no caller is forgotten")
    func everyOrder() {
        var walk = Walk(machine: machine(), now: now)
        walk.explore(depth: 8)
        #expect(walk.visited > 10_000)
        #expect(walk.failures.isEmpty, "\(walk.failures.first ?? "")")
    }
}

/// The exhaustive walk of a machine with its callers.
private struct Walk {
    var machine: PoolMachine
    var now: ContinuousClock.Instant
    var next: PoolMachine.Caller = 0
    var unanswered: [PoolMachine.Caller] = []
    var isClosed = false
    var visited = 0
    var failures: [String] = []
    private var path: [Event] = []

    init(machine: PoolMachine, now: ContinuousClock.Instant) {
        self.machine = machine
        self.now = now
    }

    enum Event {
        case ask
        case connect(Int)
        case failToConnect(Int)
        case work(Int, isUsable: Bool)
        case wait, close
    }

    private var events: [Event] {
        var events: [Event] = [.ask, .wait]
        if !isClosed { events.append(.close) }
        for (place, state) in machine.places.enumerated() {
            switch state {
            case .connecting: events += [.connect(place), .failToConnect(place)]
            case .working:
                events += [.work(place, isUsable: true), .work(place, isUsable: false)]
            case .empty, .idle: break
            }
        }
        return events
    }

    mutating func explore(depth: Int) {
        guard depth > 0, failures.isEmpty else { return }
        for event in events {
            let before = self
            perform(event)
            check()
            explore(depth: depth - 1)
            let (visited, failures) = (visited, failures)
            self = before
            (self.visited, self.failures) = (visited, failures)
        }
    }

    private mutating func perform(_ event: Event) {
        visited += 1
        path.append(event)
        switch event {
        case .ask:
            unanswered.append(next)
            take(machine.asked(by: next, at: now).map { [$0] } ?? [])
            next += 1
        case .connect(let place): take(machine.connected(place, at: now))
        case .failToConnect(let place):
            take(machine.connectingFailed(place, .unreachable, at: now))
        case .work(let place, let isUsable):
            take(machine.worked(place, isUsable: isUsable, at: now))
        case .wait:
            now += .seconds(2)
            take(machine.timePassed(at: now))
        case .close:
            isClosed = true
            take(machine.closed())
        }
    }

    private mutating func take(_ actions: [PoolMachine.Action]) {
        for action in actions {
            switch action {
            case .start(let caller, let place):
                answer(caller)
                expect(machine.places[place] == .working, "a caller starts where none works")
            case .fail(let caller, _): answer(caller)
            case .connect(let place):
                expect(machine.places[place] == .connecting, "a place connects")
            case .close(let place): expect(machine.places[place] == .empty, "a place is closed")
            }
        }
    }

    private mutating func answer(_ caller: PoolMachine.Caller) {
        expect(unanswered.contains(caller), "a caller is answered once")
        unanswered.removeAll { $0 == caller }
    }

    private mutating func check() {
        let isServed = machine.places.contains { $0 == .connecting || $0 == .working }
        expect(machine.waitingCount == unanswered.count, "a caller waits until it is answered")
        expect(machine.waitingCount == 0 || isServed, "somebody serves a caller that waits")
        expect(
            machine.waitingCount == 0 || !machine.places.contains(.idle),
            "nobody waits beside an idle connection"
        )
        expect(machine.waitingCount <= 3, "the number of waiting callers has a bound")
        expect(machine.nextDeadline.map { $0 > now } ?? true, "nobody waits too long")
    }

    private mutating func expect(_ condition: Bool, _ promise: String) {
        if !condition { failures.append("\(promise): \(path)") }
    }
}
