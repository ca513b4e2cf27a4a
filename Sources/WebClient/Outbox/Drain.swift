import MemoCore
import OutboxCore

/// Runs a ``DeliveryMachine`` over the browser's database, while this page or worker holds the lock
/// of the drainer.
///
/// Every page and the service worker have a drain. A drain with due operations asks for the lock,
/// and gives it up as soon as nothing is in flight. Every page sets a timer for the next due time;
/// the first page to ask for the lock attempts the operation.
final class Drain {
    private static let lock = utf8("drain")

    private enum Role {
        case none, asked, held
    }

    private let host: Host
    private let outbox: IndexedDBStorage
    private let clock: Clock
    private var machine = DeliveryMachine(policy: .device)
    private var role = Role.none
    /// Outcomes that could not be stored, by operation, until the timer fires.
    private var delayed: [(id: OperationID, wait: Milliseconds)] = []
    private var networkHasReturned = false
    /// Look-ups that begin as soon as waits are ended.
    private var beginning = 0
    /// Nothing is queued, as far as the last look-up saw.
    private(set) var isEmpty = false

    /// The token of the signed-in account; `nil` without one.
    var token: () -> [UInt8]? = { nil }
    /// Whether payloads can be opened and the account is known.
    var isReady: () -> Bool = { false }
    /// Called when the relay does not know this token.
    var refused: (_ token: [UInt8]) -> Void = { _ in }
    /// Called after a transition of an operation was stored.
    var stored: (DeliveryMachine.Transition) -> Void = { _ in }
    /// Called when nothing is left to attempt now.
    var rested: () -> Void = {}
    /// Called with whether the relay could be reached.
    var reached: (Bool) -> Void = { _ in }

    init(host: Host, outbox: IndexedDBStorage, clock: Clock) {
        self.host = host
        self.outbox = outbox
        self.clock = clock
    }

    /// Something may have become eligible.
    func wake() {
        guard isReady() else { return rested() }
        switch role {
        case .held: begin()
        case .asked: break
        case .none:
            role = .asked
            host.takeLock(Self.lock, ifAvailable: false) { answer in
                guard answer.isDone else {
                    self.role = .none
                    return self.rested()
                }
                self.role = .held
                self.begin()
            }
        }
    }

    /// Like ``wake()``, but does not ask for the lock.
    func rung() {
        if role == .held { load(machine.woken()) }
    }

    /// The network is, or may be, back: operations that wait for it become eligible when the drain
    /// is woken next.
    func networkReturned() {
        networkHasReturned = true
    }

    private func begin() {
        guard networkHasReturned else { return load(machine.woken()) }
        networkHasReturned = false
        beginning += 1
        outbox.endWaits(for: .network, now: clock.now) {
            self.beginning -= 1
            self.load(self.machine.woken())
        }
    }

    // MARK: Loading

    private func load(_ load: DeliveryMachine.Load?) {
        guard let load else { return restIfIdle() }
        let inFlight = machine.flights.map { $0.envelope.id }
        outbox.eligible(limit: load.limit, besides: inFlight, now: clock.now) { eligible in
            guard let eligible, self.isReady() else {
                let wait = self.machine.loadFailed(jitter: self.clock.jitter())
                self.host.setTimer(.drain, wait.count)
                return self.restIfIdle()
            }
            self.isEmpty =
                eligible.operations.isEmpty && eligible.nextEligibleAt == nil
                && self.machine.flights.isEmpty
            let start = self.machine.loaded(
                eligible.operations.map { $0.envelope },
                nextEligibleAt: eligible.nextEligibleAt,
                now: self.clock.now
            )
            self.host.setTimer(.drain, start.timer?.count)
            for envelope in start.attempts {
                for operation in eligible.operations where operation.envelope.id == envelope.id {
                    self.attempt(operation.envelope, operation.payload)
                }
            }
            start.load == nil ? self.restIfIdle() : self.load(start.load)
        }
    }

    private func restIfIdle() {
        guard role == .held, beginning == 0, machine.isIdle else { return }
        role = .none
        host.freeLock(Self.lock)
        rested()
    }

    // MARK: Attempts

    private func attempt(_ envelope: Envelope, _ payload: [UInt8]) {
        guard envelope.kind == .memo else { return finished(envelope.id, .park(.noHandler)) }
        guard let token = token() else { return finished(envelope.id, .park(.unauthorized)) }
        host.exchange(.memo(envelope.id, token: token, body: payload)) { exchange in
            switch exchange {
            case .answered(let answer):
                self.reached(true)
                let now = self.clock.now
                if let allowance = answer.allowance(now: now) {
                    self.machine.allowed(allowance, after: envelope.id, now: now)
                }
                self.finished(envelope.id, answer.outcome(for: envelope.id, now: now))
                if answer.refusesToken { self.refused(token) }
            case .failed(let failure):
                if failure == .unreachable { self.reached(false) }
                self.finished(envelope.id, failure.outcome)
            }
        }
    }

    private func finished(_ id: OperationID, _ outcome: DeliveryMachine.Outcome) {
        settle(
            id,
            machine.attemptFinished(id, outcome, now: clock.now, jitter: clock.jitter())
        )
    }

    private func settle(_ id: OperationID, _ transition: DeliveryMachine.Transition) {
        outbox.settle(id, transition) { isStored in
            if isStored {
                self.stored(transition)
                self.load(self.machine.transitionStored(id))
            } else {
                let wait = self.machine.transitionFailed(id, jitter: self.clock.jitter())
                self.delayed.append((id, wait))
                self.host.setTimer(.settle, self.delayed.map { $0.wait.count }.min())
            }
        }
    }

    /// The timer of outcomes that could not be stored fired.
    func settleDelayed() {
        let due = delayed
        delayed.removeAll()
        for (id, _) in due {
            guard case .settling(let transition) = machine.flight(of: id)?.phase else { continue }
            settle(id, transition)
        }
    }
}
