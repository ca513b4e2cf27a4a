import OutboxCore

/// Runs a ``/OutboxCore/DrainMachine`` over the browser's database. The machine makes the decisions:
/// this type calls host, storage and handlers.
///
/// Every page and the service worker have a drain. The drains take turns: the drain with the lock
/// of that name attempts. Every page sets a timer for the next due time; the first page to get the
/// lock attempts the operation.
final class Drain {
    private static let lock = utf8("drain")

    private let context: AppContext
    private let storage: IndexedDBStorage
    private var machine = DrainMachine(policy: .device, .inTurns)
    private var effects: [DrainMachine.Effect] = []
    private var timer = 0
    /// The entries of the last look-up.
    private var seen: [IndexedDBStorage.Entry] = []

    init(context: AppContext, storage: IndexedDBStorage) {
        self.context = context
        self.storage = storage
    }

    private var host: Host { context.host }
    private var clock: Clock { context.clock }

    /// Nothing is queued, as far as the last look-up saw.
    var isEmpty: Bool { machine.isEmpty }

    // MARK: Events

    /// Something may have become eligible.
    func wake() { tell { $0.woken() } }

    /// As ``wake()``, where other pages look as well.
    func changed() { tell { $0.changed() } }

    /// The network is, or may be, back: operations that wait for it become eligible when the drain
    /// is woken next.
    func networkReturned() { tell { $0.networkReturned() } }

    /// The timer of the next look-up fired.
    func timerFired() { tell { $0.timerFired(number: timer) } }

    /// The timer of outcomes that could not be stored fired.
    func settleAgain() {
        tell { for flight in $0.flights { $0.outcomeDue(flight.envelope.id) } }
    }

    /// The relay said how many more operations it takes, with its answer about this one.
    func allow(_ allowance: AttemptAllowance, after id: OperationID) {
        machine.allowed(allowance, after: id, now: clock.now)
    }

    /// The attempt of an operation has this outcome.
    func attemptEnded(_ envelope: Envelope, _ outcome: DeliveryMachine.Outcome) {
        tell {
            $0.attemptEnded(
                envelope.id,
                outcome,
                now: self.clock.now,
                jitter: self.clock.jitter,
                lanePolicy: { _ in .skipAndPark }
            )
        }
    }

    private func tell(_ event: (inout DrainMachine) -> Void) {
        event(&machine)
        act()
    }

    /// Asks the machine in its place: a method of the property would be asked of a copy.
    private func ask(_ question: (inout DrainMachine) -> Bool) -> Bool { question(&machine) }

    // MARK: Effects

    /// Performs effects until the machine waits for an event. An event that comes meanwhile goes on
    /// with the effects before its own.
    private func act() {
        while true {
            if effects.isEmpty { effects = machine.answer() }
            guard !effects.isEmpty else { return }
            perform(effects.removeFirst())
        }
    }

    private func perform(_ effect: DrainMachine.Effect) {
        switch effect {
        case .claim: claim()
        case .look(let limit): look(limit)
        case .quarantine(let handedOut): quarantine(handedOut)
        case .attempt(let envelope): attempt(envelope)
        case .store(let settlements): store(settlements)
        case .endWaits:
            storage.endWaits(for: .network, now: clock.now) {
                self.tell { $0.waitsEnded(isLast: true) }
            }
        case .wait(let wait, let number):
            timer = number
            host.setTimer(.drain, wait?.count)
        // One timer serves all outcomes: the wait of the last one.
        case .holdBack(_, let wait): host.setTimer(.settle, wait.count)
        case .rest:
            host.freeLock(Self.lock)
            context.happened(.drainRested)
        case .tell(.stored(_, let transition)): context.happened(.operationSettled(transition))
        // The page's end stops a drain, and the database has no leases.
        case .tell, .cancelAttempts, .waitForLease, .end: break
        }
    }

    private func claim() {
        guard context.canAttempt else { return tell { $0.claimed(false) } }
        host.takeLock(Self.lock, ifAvailable: false) { answer in
            self.tell { $0.claimed(answer.isDone) }
        }
    }

    private func look(_ limit: Int) {
        let now = clock.now
        let passesOver = { entry in self.ask { $0.passesOver(entry, now: now) } }
        storage.eligible(limit: limit, now: now, passesOver) { eligible in
            guard let eligible, self.context.canAttempt else {
                return self.tell { $0.lookFailed(.storage, jitter: self.clock.jitter) }
            }
            self.seen = eligible.entries
            self.tell {
                $0.looked(
                    eligible.entries.map { $0.found },
                    nextEligibleAt: eligible.nextEligibleAt,
                    now: self.clock.now,
                    jitter: self.clock.jitter
                )
            }
        }
    }

    private func quarantine(_ handedOut: DrainMachine.HandedOut) {
        for entry in seen where entry.found.handedOut == handedOut {
            guard let damage = entry.damage else { continue }
            return storage.quarantine(entry.record, damage) { isDone in
                self.tell {
                    isDone
                        ? $0.quarantined()
                        : $0.quarantineFailed(.storage, jitter: self.clock.jitter)
                }
            }
        }
    }

    private func attempt(_ envelope: Envelope) {
        let payload = seen.first { $0.found.handedOut.operation == envelope.id }?.payload ?? []
        context.happened(.operationDue(envelope, payload: payload))
    }

    private func store(_ settlements: [Settlement]) {
        let flights = machine.flights
        let kind = { (id: OperationID) in
            flights.first { $0.envelope.id == id }?.envelope.kind
        }
        storage.settle(settlements, kind: kind) { isStored in
            self.tell {
                isStored ? $0.stored() : $0.notStored(.storage, jitter: self.clock.jitter)
            }
        }
    }
}

extension DrainMachine.Failure {
    /// A failure of the database, which may pass.
    fileprivate static let storage = DrainMachine.Failure(.passing, reason: "storage")
}
