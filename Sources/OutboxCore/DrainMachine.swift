/// A state machine that makes every decision of one drain: what is looked up, attempted, stored,
/// stored again, left alone and ended, and when. Pure: no clock, no storage, no randomness, no tasks.
///
/// A shell tells events by the methods, as many as have come, and then takes the effects of all of
/// them from ``answer()``. It performs the effects in their order and tells their results as the next
/// events. A result may come at once, as from a storage in this process, or after other events.
///
/// ## Invariants
/// 1. An operation is in flight at most once, of a lane at most one, and no attempt begins while the
///    window is full. `DeliveryMachine` keeps its own invariants, which say more.
/// 2. An attempt ends in one of four ways: its outcome is stored; its entry is not this drain's to
///    change any more (``Unsettled``); its outcome cannot be stored, and its entry is left alone or
///    the drain stops; it was cut short, and its operation stays as it was.
/// 3. At most one look-up, one store, one quarantine and one end of waits are under way.
/// 4. Outcomes that are known together are stored together. If that fails, each is stored alone. An
///    outcome that fails alone keeps its slot, and is stored again after its wait; it holds back no
///    other.
/// 5. A slot becomes free only after the store of its outcome has been answered, and one look-up
///    follows for all slots that a store frees.
/// 6. After a stop no attempt begins, and each attempt under way is cut short: it counts only if its
///    outcome is final. An outcome that cannot be stored then is dropped.
/// 7. An entry that the storage cannot change is left alone: it is not attempted until the drain
///    ends. At most a hundred entries are left alone.
/// 8. An entry that was gone when its outcome was stored is not attempted until a look-up of all
///    eligible entries comes without it. If a look-up hands it out, it is left alone.
/// 9. An entry that was left unchanged is attempted again, after 1, 2, 4 … 60 seconds.
/// 10. An unreadable entry is quarantined, and never attempted. If the look-up after its quarantine
///    hands it out, it is left alone.
///    An entry whose key is not there is not attempted either: it waits in the queue for a minute at
///    a time, holds up no others but its lane, and is neither counted nor quarantined.
/// 11. Only the timer that was armed last wakes the drain.
/// 12. The return of the network also ends the waits of the outcomes that are known when it comes.
///    Where waits end in steps, a look-up and its attempts come between two steps.
/// 13. ``Effect/end(isStorageClosed:)`` comes once: after a stop, or where the drain ends when idle
///    and nothing is scheduled; and only when nothing is in flight or under way.
/// 14. A drain that takes turns does nothing before it has the drainer's role. It gives the role up
///    whenever nothing is in flight or under way.
///
/// ## Leases
/// A storage that several drains share hands entries out for a time. Its shell tells
/// ``leased(_:until:now:)``, ``leaseDue(_:now:)``, ``leaseLost(_:)`` and ``takenByAnother(_:)``. A
/// storage with one drain never does.
public struct DrainMachine: Hashable, Sendable {
    /// The time for which a drain goes on, unless it is stopped.
    public enum Term: Hashable, Sendable {
        /// Until the drain is stopped.
        case untilStopped
        /// Until nothing is in flight, and nothing is queued, not even for later.
        case untilIdle
        /// Until the drain is stopped, but with the drainer's role only while there is something to
        /// do now: several drains take turns.
        case inTurns
    }

    /// An entry as a look-up hands it out.
    public struct HandedOut: Hashable, Sendable {
        /// The entry's number.
        public let entry: EntryID
        /// The operation under which the entry was inserted; `nil` when the entry is too damaged to
        /// name it.
        public let operation: OperationID?

        /// Names the entry `entry` of `operation`.
        public init(entry: EntryID, operation: OperationID?) {
            self.entry = entry
            self.operation = operation
        }
    }

    /// An entry that a look-up handed out, as far as the shell has read it.
    public struct Found: Hashable, Sendable {
        /// The content of an entry.
        public enum Content: Hashable, Sendable {
            /// The entry can be attempted under this envelope.
            case readable(Envelope)
            /// The entry's envelope can be read, and the key of its payload is not there.
            case locked(Envelope)
            /// The entry's bytes cannot be read.
            case unreadable
            /// The shell has not read the entry: ``DrainMachine/passesOver(_:now:)`` says so.
            case passedOver

            fileprivate var envelope: Envelope? {
                switch self {
                case .readable(let envelope), .locked(let envelope): envelope
                case .unreadable, .passedOver: nil
                }
            }

            fileprivate var isLocked: Bool {
                if case .locked = self { true } else { false }
            }
        }

        /// The entry.
        public let handedOut: HandedOut
        /// The entry's content.
        public var content: Content

        /// Creates an answer for one entry.
        public init(_ handedOut: HandedOut, _ content: Content) {
            self.handedOut = handedOut
            self.content = content
        }
    }

    /// A failed call of the storage. The failed call has changed nothing.
    public struct Failure: Hashable, Sendable {
        /// The meaning of a failure for a drain.
        public enum Kind: Hashable, Sendable {
            /// The storage is damaged where it was accessed: the same call fails again.
            case corrupt
            /// The call may succeed later.
            case passing
        }

        /// The failure's meaning.
        public let kind: Kind
        /// The failure's type, fit for a log.
        public let reason: ReasonCode

        /// Creates a failure.
        public init(_ kind: Kind, reason: ReasonCode) {
            self.kind = kind
            self.reason = reason
        }
    }

    /// A task of the shell.
    public enum Effect: Hashable, Sendable {
        /// Look up at most `limit` eligible entries, and the earliest moment at which another entry
        /// becomes eligible. Answer with
        /// ``DrainMachine/looked(_:nextEligibleAt:now:jitter:lanePolicy:)`` or
        /// ``DrainMachine/lookFailed(_:jitter:)``.
        case look(limit: Int)
        /// Take this unreadable entry of the last look-up out of the queue. Answer with
        /// ``DrainMachine/quarantined()`` or ``DrainMachine/quarantineFailed(_:jitter:)``.
        case quarantine(HandedOut)
        /// Run the handler of this operation of the last look-up. Answer with
        /// ``DrainMachine/attemptEnded(_:_:now:jitter:lanePolicy:)``.
        case attempt(Envelope)
        /// Tell the handlers of these operations to end.
        case cancelAttempts([OperationID])
        /// Store these outcomes, all or none. Answer with ``DrainMachine/stored()``,
        /// ``DrainMachine/stored(except:now:jitter:)`` or
        /// ``DrainMachine/notStored(_:jitter:)``.
        case store([Settlement])
        /// End the waits for the network, or a step of them: the first step, or the step after the
        /// last one. Answer with ``DrainMachine/waitsEnded(isLast:)``.
        case endWaits(isFirst: Bool)
        /// Cancel the timer, and arm another one with this number: after the wait tell
        /// ``DrainMachine/timerFired(number:)``. `nil`: no timer.
        case wait(Milliseconds?, number: Int)
        /// Tell ``DrainMachine/outcomeDue(_:)`` after the wait.
        case holdBack(OperationID, Milliseconds)
        /// Tell ``DrainMachine/leaseDue(_:now:)`` after the wait.
        case waitForLease(OperationID, Milliseconds)
        /// Become the drainer. Answer with ``DrainMachine/claimed(_:)``.
        case claim
        /// Give the drainer's role up, if the drain has it: nothing is left to do now.
        case rest
        /// The drain is over. Nothing follows.
        case end(isStorageClosed: Bool)
        /// Log a transition.
        case tell(Occurrence)
    }

    /// A transition that a log may tell.
    public enum Occurrence: Hashable, Sendable {
        /// The outcome of the operation, whose envelope at the attempt's beginning this is, is stored.
        case stored(Envelope, DeliveryMachine.Transition)
        /// The outcome of the operation is not stored.
        case notStored(Envelope, ReasonCode)
        /// The entry is left alone from now on.
        case leftAlone(HandedOut, OperationKind?)
        /// The queue could not be read.
        case notRead(ReasonCode)
    }

    /// The limits of a look-up under way, over all of its steps.
    private struct Look: Hashable, Sendable {
        let slots: Int
        var limit: Int
        /// The unreadable entries of this step that are not quarantined yet.
        var unreadable: [HandedOut] = []
        /// The entries that were quarantined in the step before, or in this one.
        var quarantined: [HandedOut] = []
        /// Whether an entry was found gone meanwhile, which the look-up may have read before.
        var isOlderThanGone = false
    }

    /// A handler that keeps the drain's thread for longer has held up the others.
    private static let longestHold = Milliseconds(1)
    /// The number of handlers that then begin on threads of their own.
    private static let apartAfterHold = 100

    private enum Role: Hashable, Sendable {
        case none, claimed, held
    }

    private var delivery: DeliveryMachine
    private let term: Term
    private var role: Role
    private var pending: [Effect] = []
    private var passedOver = PassedOver()

    private var look: Look?
    private var isWoken = false
    /// Whether nothing was queued at the last look-up, not even for later.
    public private(set) var isEmpty = false

    /// Operations whose outcomes are to be stored.
    private var due: [OperationID] = []
    /// Operations whose outcomes could not be stored together.
    private var alone: [OperationID] = []
    /// Operations whose outcomes are being stored.
    private var storing: [OperationID] = []
    /// Operations whose flights have ended, and whose slots no look-up has had yet.
    private var settled: [OperationID] = []

    private enum Step: Hashable, Sendable {
        case none
        /// The step comes after the next look-up.
        case afterLook
        case next
    }

    private var hasNetworkReturned = false
    private var isEndingWaits = false
    /// The step that follows the last one.
    private var step = Step.none

    private var isTimerArmed = false
    private var timerNumber = 0

    private var isStopping = false
    private var isStorageClosed = false
    private var isEnded = false
    private var leftToBeginApart = 0

    /// - Parameters:
    ///   - policy: The rule that decides when a failed operation is attempted again.
    ///   - window: The number of operations in flight.
    ///   - term: The time for which the drain goes on.
    public init(policy: RetryPolicy, window: AttemptWindow = AttemptWindow(3), _ term: Term) {
        delivery = DeliveryMachine(policy: policy, window: window)
        self.term = term
        role = term == .inTurns ? .none : .held
    }

    /// The operations in flight, in the order in which their attempts began.
    public var flights: [DeliveryMachine.Flight] { delivery.flights }

    /// Takes the effects of all events since the last call. The shell performs them in their order
    /// and calls this method again, until there are none.
    public mutating func answer() -> [Effect] {
        goOn()
        guard !pending.isEmpty else { return [] }
        let effects = pending
        pending = []
        return effects
    }

    /// Decides what follows once the events are told: outcomes are stored before waits end, and waits
    /// end before the queue is looked at.
    private mutating func goOn() {
        guard storing.isEmpty, !isEndingWaits, !isEnded else { return }
        guard role == .held || isStopping && role == .none else { return claim() }
        if !alone.isEmpty {
            storing.append(alone.removeFirst())
        } else {
            swap(&storing, &due)
        }
        guard storing.isEmpty else {
            return pending.append(.store(storing.map(settlement)))
        }
        if hasNetworkReturned {
            hasNetworkReturned = false
            if !isStopping { return endWaits(isFirst: true) }
        }
        if isWoken || !settled.isEmpty {
            isWoken = false
            let load = delivery.transitionsStored(settled)
            settled.removeAll(keepingCapacity: true)
            if let load { begin(load) }
        }
        if step == .next, look == nil, !isStopping { return endWaits(isFirst: false) }
        guard delivery.isIdle else { return }
        if isStopping || term == .untilIdle && isEmpty {
            isEnded = true
            pending.append(.end(isStorageClosed: isStorageClosed))
        } else if term == .inTurns {
            role = .none
            pending.append(.rest)
        }
    }

    private mutating func endWaits(isFirst: Bool) {
        step = .none
        isEndingWaits = true
        pending.append(.endWaits(isFirst: isFirst))
    }

    private mutating func claim() {
        guard isWoken, role == .none else { return }
        role = .claimed
        pending.append(.claim)
    }

    // MARK: Waking and ending

    /// An event: the drain begins, or the queue may have changed.
    public mutating func woken() {
        isWoken = true
    }

    /// An event: the queue may have changed, and another drain takes the drainer's role for that if
    /// this drain does not have it.
    public mutating func changed() {
        if role != .none { isWoken = true }
    }

    /// An event: ``Effect/claim`` has had an end.
    ///
    /// - Parameter isDrainer: Whether the drain has the drainer's role now. A drain without it rests
    ///   until it is woken again.
    public mutating func claimed(_ isDrainer: Bool) {
        precondition(role == .claimed, "a role that was not claimed")
        role = isDrainer ? .held : .none
        guard !isDrainer else { return }
        isWoken = false
        pending.append(.rest)
    }

    /// An event: the network is back.
    public mutating func networkReturned() {
        hasNetworkReturned = true
    }

    /// An event: ``Effect/endWaits(isFirst:)`` is performed.
    ///
    /// - Parameter isLast: Whether no further step is needed, or the step has failed.
    public mutating func waitsEnded(isLast: Bool) {
        precondition(isEndingWaits, "waits ended that were not asked for")
        isEndingWaits = false
        if !isLast { step = .afterLook }
        isWoken = true
    }

    /// An event: the timer with this number fired.
    public mutating func timerFired(number: Int) {
        guard number == timerNumber else { return }
        isTimerArmed = false
        isWoken = true
    }

    /// An event: the drain is to end. Outcomes that are held back are stored once more at once.
    public mutating func stopped() {
        guard !isStopping else { return }
        isStopping = true
        delivery.stopped()
        cut(delivery.flights.filter { $0.phase == .attempting }.map { $0.envelope.id })
        for flight in delivery.flights where isHeldBack(flight.envelope.id) {
            due.append(flight.envelope.id)
        }
    }

    /// An event: the storage is closed, so that every call fails. Comes before the failure of the
    /// call. The drain ends.
    public mutating func storageClosed() {
        isStorageClosed = true
        stopped()
    }

    /// Replaces the drain's only timer: it fires when the queue is to be looked at.
    private mutating func arm(_ wait: Milliseconds?) {
        guard wait != nil || isTimerArmed else { return }
        isTimerArmed = wait != nil
        timerNumber += 1
        pending.append(.wait(wait, number: timerNumber))
    }

    // MARK: Looking at the queue

    /// Whether the shell need not read an entry that a look-up hands out: it is in flight, or is not
    /// attempted now.
    ///
    /// - Complexity: O(operations in flight), and O(entries that are not attempted), of which a sound
    ///   storage has none.
    public func passesOver(_ handedOut: HandedOut, now: WallTime) -> Bool {
        if let id = handedOut.operation, delivery.isInFlight(id) { return true }
        return !passedOver.isEmpty && passedOver.contains(handedOut, at: now)
    }

    /// An event: a look-up has ended.
    ///
    /// - Parameters:
    ///   - found: The entries that the storage handed out, all of them, in their order.
    ///   - nextEligibleAt: The moment at which another entry becomes eligible.
    ///   - now: The current time, on the same clock as the persisted times.
    ///   - jitter: Makes a uniformly random word, which lengthens a wait.
    ///   - lanePolicy: The policy for an operation of a lane that is parked because it has waited for
    ///     its key for longer than the policy's lifetime.
    public mutating func looked(
        _ found: [Found],
        nextEligibleAt: WallTime?,
        now: WallTime,
        jitter: () -> UInt32,
        lanePolicy: (OrderingKey) -> LanePolicy = { _ in .skipAndPark }
    ) {
        guard let before = look else { preconditionFailure("looked without a look-up under way") }
        guard !isStopping else { return finishLook([], nil, now, jitter, lanePolicy) }
        look?.quarantined.removeAll()
        var hasChanged = false
        for item in found {
            switch item.content {
            case .readable, .locked:
                break
            case .passedOver:
                if !before.isOlderThanGone, passedOver.hasReturned(item.handedOut),
                    leave(item.handedOut)
                {
                    hasChanged = true
                }
            case .unreadable where before.quarantined.contains(item.handedOut):
                guard leave(item.handedOut) else {
                    return lookFailed(.damage, jitter: jitter)
                }
                hasChanged = true
            case .unreadable:
                look?.unreadable.append(item.handedOut)
            }
        }
        if let next = look?.unreadable.first {
            pending.append(.quarantine(next))
        } else if hasChanged {
            lookAgain()
        } else {
            if found.count < before.limit, !before.isOlderThanGone {
                passedOver.sawAllEligible(found)
            }
            finishLook(found, nextEligibleAt, now, jitter, lanePolicy)
        }
    }

    /// An event: a look-up has failed, because storage or the key cannot be read now.
    public mutating func lookFailed(_ failure: Failure, jitter: () -> UInt32) {
        precondition(look != nil, "a look-up failed without one under way")
        look = nil
        isEmpty = false
        pending.append(.tell(.notRead(failure.reason)))
        arm(delivery.loadFailed(jitter: jitter()))
    }

    /// An event: the entry of ``Effect/quarantine(_:)`` is quarantined.
    public mutating func quarantined() {
        goOnQuarantining { look in look.quarantined.append(look.unreadable[0]) }
    }

    /// An event: the entry of ``Effect/quarantine(_:)`` could not be quarantined.
    public mutating func quarantineFailed(_ failure: Failure, jitter: () -> UInt32) {
        guard failure.kind == .corrupt, let entry = look?.unreadable.first, leave(entry) else {
            return lookFailed(failure, jitter: jitter)
        }
        goOnQuarantining { _ in }
    }

    private mutating func goOnQuarantining(_ change: (inout Look) -> Void) {
        guard var look, !look.unreadable.isEmpty else {
            preconditionFailure("a quarantine that was not asked for")
        }
        change(&look)
        look.unreadable.removeFirst()
        self.look = look
        if let next = look.unreadable.first {
            pending.append(.quarantine(next))
        } else {
            lookAgain()
        }
    }

    private mutating func begin(_ load: DeliveryMachine.Load) {
        look = Look(slots: load.limit, limit: load.limit)
        lookAgain()
    }

    private mutating func lookAgain() {
        guard var look else { return }
        // A look-up may hand out one entry of each lane in flight, and each entry that is passed
        // over. None of these entries takes a slot.
        look.limit = look.slots + delivery.flights.count + passedOver.count
        look.isOlderThanGone = false
        self.look = look
        pending.append(.look(limit: look.limit))
    }

    private mutating func finishLook(
        _ found: [Found],
        _ nextEligibleAt: WallTime?,
        _ now: WallTime,
        _ jitter: () -> UInt32,
        _ lanePolicy: (OrderingKey) -> LanePolicy
    ) {
        look = nil
        if step == .afterLook { step = .next }
        var next = nextEligibleAt
        var eligible: [Envelope] = []
        eligible.reserveCapacity(found.count)
        for item in found {
            if let envelope = item.content.envelope {
                eligible.append(envelope)
            } else if let end = passedOver.endOfPause(of: item.handedOut, at: now) {
                next = min(next ?? end, end)
            }
        }
        let start = delivery.loaded(eligible, nextEligibleAt: next, now: now)
        isEmpty = next == nil && start.timer == nil && delivery.flights.isEmpty
        for envelope in start.attempts {
            guard let item = found.first(where: { $0.content.envelope?.id == envelope.id })
            else { continue }
            delivery.setEntry(item.handedOut.entry, of: envelope.id)
            guard item.content.isLocked else {
                pending.append(.attempt(envelope))
                continue
            }
            delivery.attemptNotMade(envelope.id)
            attemptEnded(
                envelope.id,
                .retryAfter(nil, .keyMissing),
                now: now,
                jitter: jitter,
                lanePolicy: lanePolicy
            )
        }
        arm(start.timer)
        if let load = start.load { begin(load) }
    }

    /// - Returns: `false` when too many entries are left alone already.
    private mutating func leave(_ handedOut: HandedOut, _ kind: OperationKind? = nil) -> Bool {
        guard passedOver.leave(handedOut) else { return false }
        pending.append(.tell(.leftAlone(handedOut, kind)))
        return true
    }

    // MARK: Attempts

    /// An event: the other side said, with its answer to an attempt, how many more attempts it takes.
    /// See ``DeliveryMachine/allowed(_:after:now:)``.
    public mutating func allowed(
        _ allowance: AttemptAllowance,
        after id: OperationID,
        now: WallTime
    ) {
        delivery.allowed(allowance, after: id, now: now)
    }

    /// An event: a handler's run has ended.
    ///
    /// - Parameters:
    ///   - id: An operation that is being attempted, or whose attempt was cut short.
    ///   - outcome: The handler's answer.
    ///   - now: The current time, on the same clock as the persisted times.
    ///   - jitter: Makes a uniformly random word, which lengthens a wait. Called only for an outcome
    ///     that leads to one.
    ///   - lanePolicy: The policy for an operation of a lane that is parked.
    public mutating func attemptEnded(
        _ id: OperationID,
        _ outcome: DeliveryMachine.Outcome,
        now: WallTime,
        jitter: () -> UInt32,
        lanePolicy: (OrderingKey) -> LanePolicy
    ) {
        let flight = delivery.flight(of: id)
        if flight?.phase == .cut, !outcome.isFinal {
            delivery.cutAttemptEnded(id)
            isWoken = true
            return
        }
        _ = delivery.attemptFinished(
            id,
            outcome,
            now: now,
            jitter: outcome.isFinal ? 0 : jitter(),
            lanePolicy: flight?.envelope.orderingKey.map(lanePolicy) ?? .skipAndPark
        )
        due.append(id)
    }

    private mutating func cut(_ ids: [OperationID]) {
        guard !ids.isEmpty else { return }
        for id in ids { delivery.attemptCut(id) }
        pending.append(.cancelAttempts(ids))
    }

    /// Whether the next handler begins on a thread of its own, instead of the drain's. Called once
    /// for each handler.
    public mutating func beginsApart() -> Bool {
        guard leftToBeginApart > 0 else { return false }
        leftToBeginApart -= 1
        return true
    }

    /// An event: a handler kept the drain's thread for this long before it waited or returned.
    public mutating func held(_ duration: Milliseconds) {
        if duration > Self.longestHold { leftToBeginApart = Self.apartAfterHold }
    }

    // MARK: Leases

    /// An event: the storage has handed this operation out until `moment`, or lengthened its lease.
    /// After that moment the attempt is cut short.
    public mutating func leased(_ id: OperationID, until moment: WallTime, now: WallTime) {
        guard delivery.isInFlight(id) else { return }
        delivery.setLease(moment, of: id)
        pending.append(.waitForLease(id, max(moment.since(now), Milliseconds(0))))
    }

    /// An event: the wait for the end of a lease is over.
    public mutating func leaseDue(_ id: OperationID, now: WallTime) {
        guard let end = delivery.flight(of: id)?.leasedUntil, end <= now else { return }
        leaseLost(id)
    }

    /// An event: the lease of this operation has ended. Its attempt is cut short.
    public mutating func leaseLost(_ id: OperationID) {
        guard let flight = delivery.flight(of: id) else { return }
        delivery.setLease(nil, of: id)
        if flight.phase == .attempting { cut([id]) }
    }

    /// An event: another drain has this operation now. Its attempt is cut short; an outcome that
    /// waits to be stored again is dropped.
    public mutating func takenByAnother(_ id: OperationID) {
        leaseLost(id)
        guard isHeldBack(id), let envelope = delivery.flight(of: id)?.envelope else { return }
        pending.append(.tell(.notStored(envelope, .taken)))
        settled.append(id)
    }

    // MARK: Storing outcomes

    /// An event: the wait of an outcome that was held back is over.
    public mutating func outcomeDue(_ id: OperationID) {
        if isHeldBack(id) { due.append(id) }
    }

    /// An event: the outcomes of ``Effect/store(_:)`` are stored, all of them.
    public mutating func stored() {
        precondition(!storing.isEmpty, "outcomes were stored that were not asked for")
        for id in storing { wasStored(flight(of: id)) }
        settled += storing
        storing.removeAll(keepingCapacity: true)
    }

    /// An event: the outcomes of ``Effect/store(_:)`` are stored, but for `unsettled`.
    public mutating func stored(
        except unsettled: [Unsettled],
        now: WallTime,
        jitter: () -> UInt32
    ) {
        precondition(!storing.isEmpty, "outcomes were stored that were not asked for")
        for id in storing {
            let flight = flight(of: id)
            switch unsettled.first(where: { $0.entry == flight.entry })?.cause {
            case nil: wasStored(flight)
            case .gone:
                passedOver.wasGone(flight.handedOut)
                look?.isOlderThanGone = true
                pending.append(.tell(.stored(flight.envelope, transition(of: flight))))
            case .anothers:
                pending.append(.tell(.notStored(flight.envelope, .taken)))
            case .unchanged:
                pending.append(.tell(.notStored(flight.envelope, .unchanged)))
                let policy = delivery.policy
                guard
                    passedOver.pause(flight.handedOut, policy, now: now, jitter: jitter())
                        || !holdBack(id, jitter)
                else { continue }
            }
            settled.append(id)
        }
        storing.removeAll(keepingCapacity: true)
    }

    private mutating func wasStored(_ flight: DeliveryMachine.Flight) {
        if !passedOver.isEmpty { passedOver.wasStored(flight.handedOut) }
        pending.append(.tell(.stored(flight.envelope, transition(of: flight))))
    }

    /// An event: the outcomes of ``Effect/store(_:)`` could not be stored.
    public mutating func notStored(_ failure: Failure, jitter: () -> UInt32) {
        precondition(!storing.isEmpty, "outcomes were not stored that were not asked for")
        defer { storing.removeAll(keepingCapacity: true) }
        guard storing.count == 1 else {
            alone = storing
            return
        }
        let id = storing[0]
        let flight = flight(of: id)
        if failure.kind == .corrupt, leave(flight.handedOut, flight.envelope.kind) {
            settled.append(id)
            return
        }
        pending.append(.tell(.notStored(flight.envelope, failure.reason)))
        if !holdBack(id, jitter) { settled.append(id) }
    }

    /// Keeps the operation's slot taken until its outcome is stored, or the drain ends.
    ///
    /// - Returns: `false` when the drain is stopping, and does not store the outcome again.
    private mutating func holdBack(_ id: OperationID, _ jitter: () -> UInt32) -> Bool {
        guard !isStopping else { return false }
        pending.append(.holdBack(id, delivery.transitionFailed(id, jitter: jitter())))
        return true
    }

    /// Whether the operation's outcome waits to be stored again.
    private func isHeldBack(_ id: OperationID) -> Bool {
        guard case .settling = delivery.flight(of: id)?.phase else { return false }
        return !due.contains(id) && !alone.contains(id) && !storing.contains(id)
            && !settled.contains(id)
    }

    private func settlement(of id: OperationID) -> Settlement {
        let flight = flight(of: id)
        return Settlement(entry: flight.entry, id: id, transition: transition(of: flight))
    }

    private func flight(of id: OperationID) -> DeliveryMachine.Flight {
        guard let flight = delivery.flight(of: id) else {
            preconditionFailure("an operation that is not in flight")
        }
        return flight
    }

    private func transition(of flight: DeliveryMachine.Flight) -> DeliveryMachine.Transition {
        guard case .settling(let transition) = flight.phase else {
            preconditionFailure("an outcome of an operation that was not attempted")
        }
        return transition
    }
}

extension DeliveryMachine.Flight {
    fileprivate var handedOut: DrainMachine.HandedOut {
        DrainMachine.HandedOut(entry: entry, operation: envelope.id)
    }
}

extension DrainMachine.Failure {
    fileprivate static let damage = DrainMachine.Failure(.corrupt, reason: "storage.corrupt")
}

extension ReasonCode {
    fileprivate static let taken: ReasonCode = "storage.taken"
    fileprivate static let unchanged: ReasonCode = "storage.unchanged"
}
