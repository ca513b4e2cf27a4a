import MemoCore
import OutboxCore

/// Runs a ``DeliveryMachine`` over the browser's database, while this page or worker holds the lock
/// of the drainer.
///
/// Every page and the service worker have a drain. A drain with due operations asks for the lock,
/// and gives it up as soon as nothing is in flight. Every page sets a timer for the next due time;
/// the first page to ask for the lock attempts the operation.
final class Drain {
    /// Attempts an operation and tells the outcome, once.
    typealias Handler = (
        Envelope, _ payload: [UInt8], _ then: @escaping (DeliveryMachine.Outcome) -> Void
    ) -> Void

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

    /// The handler of each kind of operation.
    var handlers: [(kind: OperationKind, attempt: Handler)] = []
    /// The changes that are stored with an operation's new standing.
    var consequences: IndexedDBStorage.Consequences = { _, _, _ in }
    /// Whether payloads can be opened and the account is known.
    var isReady: () -> Bool = { false }
    /// Called after a transition of an operation was stored.
    var stored: (DeliveryMachine.Transition) -> Void = { _ in }
    /// Called when nothing is left to attempt now.
    var rested: () -> Void = {}

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
        outbox.eligible(
            limit: load.limit,
            besides: inFlight,
            now: clock.now,
            consequences
        ) { eligible in
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
        for handler in handlers where handler.kind == envelope.kind {
            return handler.attempt(envelope, payload) { self.finished(envelope, $0) }
        }
        finished(envelope, .park(.noHandler))
    }

    /// The relay said how many more operations it takes, with its answer about this one.
    func allow(_ allowance: AttemptAllowance, after id: OperationID) {
        machine.allowed(allowance, after: id, now: clock.now)
    }

    private func finished(_ envelope: Envelope, _ outcome: DeliveryMachine.Outcome) {
        settle(
            envelope,
            machine.attemptFinished(
                envelope.id,
                outcome,
                now: clock.now,
                jitter: clock.jitter()
            )
        )
    }

    private func settle(_ envelope: Envelope, _ transition: DeliveryMachine.Transition) {
        let id = envelope.id
        outbox.settle(envelope, transition, consequences) { isStored in
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
            guard let flight = machine.flight(of: id), case .settling(let transition) = flight.phase
            else { continue }
            settle(flight.envelope, transition)
        }
    }
}
