/// A state machine that decides which operation is attempted at which time. Pure: no clock, no
/// storage, no randomness, no tasks. ``DrainMachine`` has it as its part.
///
/// The queue lives in storage, whatever its length; the machine holds only the operations in
/// flight. Events are methods, and actions are their results. A shell calls the machine, performs
/// the action, and reports the result as the next event.
///
/// ## Invariants
/// 1. An operation is in flight at most once. Only ``transitionStored(_:)``,
///    ``transitionsStored(_:)`` and ``cutAttemptEnded(_:)`` end its flight.
/// 2. No attempt begins while ``maximumInFlight`` operations are in flight. The number follows the
///    other side where the machine has a window that grows and shrinks (``AttemptWindow``).
/// 3. An operation leaves the flight only after its outcome is stored, when the outcome can never
///    be stored and the shell offers the operation no more, or after an attempt that was cut short
///    and has no outcome: a failing removal is tried again, the operation is not.
/// 4. At most one load is under way. A wake-up during a load is not lost: another load follows.
/// 5. An operation whose outcome was stored while a load was under way is not attempted from that
///    load's answer, which may be older than the outcome.
/// 6. A wait that a server asked for does not count as an attempt.
/// 7. A failing operation is only ever retried or parked. Removal follows success alone.
/// 8. After ``stopped()`` no attempt begins; the operations in flight still settle.
/// 9. Of the operations that share an ordering key at most one is in flight. The machine skips an
///    operation whose lane is in flight; when the flight has settled, another load follows.
/// 10. Until the moment of an ``AttemptAllowance`` no more attempts begin than it allows. After the
///    moment one attempt at a time begins, until an answer allows more.
///
/// ## Transitions of one operation
/// ```
/// queued ──loaded──▶ attempting ──attemptFinished(.done)──▶ settling ──transitionStored──▶ gone
///   ▲                    ├──────────(.retry…)─────────────▶ settling ──transitionStored──▶ queued
///   │                    ├──────────(.park)───────────────▶ settling ──transitionStored──▶ parked
///   │                    └──attemptCut──▶ cut ──cutAttemptEnded──▶ queued
///   └── the process dies anywhere above: the operation is queued again, as storage has it
/// cut ──attemptFinished──▶ settling, as from attempting
/// settling ──transitionFailed──▶ settling (the same write again, later)
/// ```
public struct DeliveryMachine: Hashable, Sendable {
    /// One operation in flight.
    public struct Flight: Hashable, Sendable {
        /// The phase of the attempt.
        public enum Phase: Hashable, Sendable {
            /// The handler runs.
            case attempting
            /// The handler was told to end, and still runs.
            case cut
            /// The handler has answered; the outcome is being written.
            case settling(Transition)
        }

        /// The operation's envelope at the beginning of the attempt.
        public let envelope: Envelope
        /// The phase of the attempt.
        public fileprivate(set) var phase: Phase
        /// Whether the handler runs.
        public var isUnderWay: Bool {
            switch phase {
            case .attempting, .cut: true
            case .settling: false
            }
        }

        /// The operation's entry in the storage, and the end of its lease.
        var entry = EntryID(rawValue: 0)
        var leasedUntil: WallTime?

        fileprivate var failedWrites: UInt32 = 0
        /// The least allowance that came with an answer since the attempt began, and its moment.
        fileprivate var leastAllowed = Int.max
        fileprivate var leastAllowedUntil = WallTime.distantPast
    }

    /// The outcome of a handler's run.
    public enum Outcome: Hashable, Sendable {
        /// The other side holds the operation durably.
        case done
        /// The other side answered with a failure that may pass.
        case retry(ReasonCode)
        /// The other side could not be reached.
        case retryOnNetwork(ReasonCode)
        /// The other side asked for a wait; `nil` when it did not say how long.
        case retryAfter(Milliseconds?, ReasonCode)
        /// A permanent refusal: only a person can unblock the operation.
        case park(ReasonCode)
    }

    /// The change that storage makes to an operation after its attempt.
    public enum Transition: Hashable, Sendable {
        /// Remove the operation: it is delivered.
        case remove
        /// Keep the operation queued, under this envelope.
        case reschedule(Envelope)
        /// Keep the operation outside of the queue, under this envelope, whose `lastError` is the
        /// reason.
        case park(Envelope)
    }

    /// An action: look up at most `limit` eligible operations besides those in flight, and the
    /// earliest moment at which another operation becomes eligible. Answer with `loaded` or
    /// `loadFailed`.
    public struct Load: Hashable, Sendable {
        /// The greatest number of operations to look up; at least 1.
        public let limit: Int
    }

    /// The answer to a `loaded` event.
    public struct Start: Hashable, Sendable {
        /// Run the handlers of these operations. Answer each run with `attemptFinished`.
        public var attempts: [Envelope] = []
        /// Fire `woken` after this wait, and cancel any earlier timer. `nil`: no timer.
        public var timer: Milliseconds?
        /// Load again at once.
        public var load: Load?
    }

    /// The rule that decides when a failed operation is attempted again.
    public let policy: RetryPolicy
    /// The number of operations in flight, over all lanes, at which no further attempt begins.
    public var maximumInFlight: Int { window.size }
    private var window: AttemptWindow
    /// The operations in flight, in the order in which their attempts began.
    public private(set) var flights: [Flight] = []

    private var isLoading = false
    private var wokenWhileLoading = false
    private var settledWhileLoading: [OperationID] = []
    private var failedLoads: UInt32 = 0
    private var isStopped = false
    /// The rest of the latest allowance, and its moment.
    private var allowedAttempts = Int.max
    private var allowedUntil = WallTime.distantPast

    /// - Parameters:
    ///   - policy: The rule that decides when a failed operation is attempted again.
    ///   - window: The number of operations in flight, over all lanes.
    public init(policy: RetryPolicy, window: AttemptWindow = AttemptWindow(3)) {
        self.policy = policy
        self.window = window
    }

    /// Whether nothing is in flight and no load is under way.
    public var isIdle: Bool { flights.isEmpty && !isLoading }

    /// An event: some operation may have become eligible, because of an enqueue, a timer, a person
    /// or the network.
    ///
    /// - Returns: `nil` when a load is already under way, when no slot is free, or when the
    ///   machine is stopped.
    public mutating func woken() -> Load? {
        if isLoading {
            wokenWhileLoading = true
            return nil
        }
        let free = maximumInFlight - flights.count
        guard !isStopped, free > 0 else { return nil }
        isLoading = true
        return Load(limit: free)
    }

    /// An event: a look-up has ended.
    ///
    /// - Parameters:
    ///   - eligible: The eligible operations, in the order in which they are to start. The machine
    ///     skips operations in flight, and operations whose lane is in flight: storage has given
    ///     such a lane another front meanwhile.
    ///   - nextEligibleAt: The moment at which the earliest operation outside of `eligible` becomes
    ///     eligible. May be `nil` when `eligible` takes every slot: no timer is needed before the
    ///     next load.
    ///   - now: The current time, on the same clock as the persisted times.
    public mutating func loaded(
        _ eligible: [Envelope],
        nextEligibleAt: WallTime?,
        now: WallTime
    ) -> Start {
        precondition(isLoading, "loaded without a load under way")
        isLoading = false
        failedLoads = 0
        var start = Start()
        if !isStopped {
            var next = nextEligibleAt
            for envelope in eligible where flights.count < maximumInFlight {
                guard !isInFlight(envelope.id), !isLaneInFlight(of: envelope),
                    !settledWhileLoading.contains(envelope.id)
                else { continue }
                if allowedAttempts == 0 {
                    // While an attempt is under way, its answer leads to the next load.
                    if isAttempting { break }
                    guard now >= allowedUntil else {
                        next = min(next ?? allowedUntil, allowedUntil)
                        break
                    }
                    allowedAttempts = 1
                }
                allowedAttempts -= 1
                flights.append(Flight(envelope: envelope, phase: .attempting))
                start.attempts.append(envelope)
            }
            if let next { start.timer = max(next.since(now), Milliseconds(0)) }
        }
        let isStale = wokenWhileLoading
        wokenWhileLoading = false
        settledWhileLoading.removeAll()
        if isStale { start.load = woken() }
        return start
    }

    private var isAttempting: Bool { flights.contains { $0.isUnderWay } }

    /// An event: the other side said, with its answer to an attempt, how many more attempts it
    /// takes. Comes before the attempt's ``attemptFinished(_:_:now:jitter:lanePolicy:)``.
    ///
    /// The answer may not count the attempts under way, so these are subtracted. An answer that came
    /// during the attempt may tell of a later moment, so the least of both counts, with its own time.
    ///
    /// - Parameters:
    ///   - allowance: The number of attempts, and the time for which it holds.
    ///   - id: The operation that was attempted.
    ///   - now: The current time, on the same clock as the persisted times.
    public mutating func allowed(
        _ allowance: AttemptAllowance,
        after id: OperationID,
        now: WallTime
    ) {
        let wait = max(Milliseconds(0), min(allowance.wait, policy.serverWaitCap))
        let until = now.advanced(by: wait)
        var left = allowance.attempts
        allowedUntil = until
        var others = 0
        for index in flights.indices where flights[index].isUnderWay {
            if flights[index].envelope.id != id {
                others += 1
                guard allowance.attempts < flights[index].leastAllowed else { continue }
                flights[index].leastAllowed = allowance.attempts
                flights[index].leastAllowedUntil = until
            } else if flights[index].leastAllowed < left {
                left = flights[index].leastAllowed
                allowedUntil = flights[index].leastAllowedUntil
            }
        }
        allowedAttempts = max(0, max(0, left) - others)
    }

    /// An event: a look-up has failed, because storage or the key cannot be read now.
    ///
    /// - Returns: The wait after which to fire `woken`.
    public mutating func loadFailed(jitter: UInt32) -> Milliseconds {
        precondition(isLoading, "loadFailed without a load under way")
        isLoading = false
        wokenWhileLoading = false
        settledWhileLoading.removeAll()
        failedLoads = failedLoads == .max ? .max : failedLoads + 1
        return policy.storageDelay(afterFailure: failedLoads, jitter: jitter)
    }

    /// An event: a handler's run has ended.
    ///
    /// - Parameters:
    ///   - id: An operation that is being attempted, or whose attempt was cut short.
    ///   - outcome: The handler's answer.
    ///   - now: The current time, on the same clock as the persisted times.
    ///   - jitter: A uniformly random word, which lengthens a wait.
    ///   - lanePolicy: The policy for the operation's lane if the operation is parked.
    /// - Returns: The outcome to store at once. Answer with ``transitionStored(_:)`` or
    ///   ``transitionFailed(_:jitter:)``.
    public mutating func attemptFinished(
        _ id: OperationID,
        _ outcome: Outcome,
        now: WallTime,
        jitter: UInt32,
        lanePolicy: LanePolicy = .skipAndPark
    ) -> Transition {
        let index = flightIndex(of: id)
        precondition(flights[index].isUnderWay, "an attempt finished twice")
        var transition = transition(
            of: flights[index].envelope,
            after: outcome,
            now: now,
            jitter: jitter
        )
        if case .park(let parked) = transition { transition = .park(parked.parked(lanePolicy)) }
        switch outcome {
        case .done: window.taken(inFlight: flights.count)
        case .retry, .retryOnNetwork: window.failed()
        // The wait that the other side asked for, and a refusal of one operation, are its whole demand.
        case .retryAfter, .park: break
        }
        flights[index].phase = .settling(transition)
        return transition
    }

    /// An event: an operation of the last ``Start`` was not handed to its handler. It takes nothing from
    /// an allowance. ``attemptFinished(_:_:now:jitter:lanePolicy:)`` follows.
    public mutating func attemptNotMade(_ id: OperationID) {
        precondition(isInFlight(id), "an attempt that was not asked for")
        if allowedAttempts < .max { allowedAttempts += 1 }
    }

    /// An event: the handler of an operation that is being attempted was told to end.
    public mutating func attemptCut(_ id: OperationID) {
        let index = flightIndex(of: id)
        precondition(flights[index].isUnderWay, "an attempt was cut that has finished")
        flights[index].phase = .cut
    }

    /// An event: the handler of an attempt that was cut short has ended, and its answer does not
    /// count. The operation stays as it was before the attempt, and its slot is free for the look-up
    /// that the next ``woken()`` begins.
    public mutating func cutAttemptEnded(_ id: OperationID) {
        precondition(flights[flightIndex(of: id)].phase == .cut, "an attempt that was not cut")
        leaveFlight(id)
    }

    /// An event: the outcome of an operation is stored. The operation's slot is free.
    ///
    /// - Returns: The next look-up; `nil` when a look-up is already under way or the machine is
    ///   stopped.
    public mutating func transitionStored(_ id: OperationID) -> Load? {
        leaveFlight(id)
        return woken()
    }

    /// An event: the outcomes of several operations are stored. Their slots are free for one
    /// look-up.
    ///
    /// - Returns: As ``transitionStored(_:)``.
    public mutating func transitionsStored(_ ids: [OperationID]) -> Load? {
        for id in ids { leaveFlight(id) }
        return woken()
    }

    private mutating func leaveFlight(_ id: OperationID) {
        flights.remove(at: flightIndex(of: id))
        if isLoading { settledWhileLoading.append(id) }
    }

    /// An event: the outcome of an operation could not be stored. The operation's slot stays
    /// taken, so that a delivered operation is not delivered again because its removal failed.
    ///
    /// - Returns: The wait after which to store the same outcome once more.
    public mutating func transitionFailed(_ id: OperationID, jitter: UInt32) -> Milliseconds {
        let index = flightIndex(of: id)
        guard case .settling = flights[index].phase else {
            preconditionFailure("a transition failed that was not asked for")
        }
        if flights[index].failedWrites < .max { flights[index].failedWrites += 1 }
        return policy.storageDelay(afterFailure: flights[index].failedWrites, jitter: jitter)
    }

    /// Stops the machine: it starts no attempt from then on.
    public mutating func stopped() {
        isStopped = true
    }

    /// Returns whether the operation is being attempted or its outcome is being written.
    ///
    /// - Complexity: O(``maximumInFlight``).
    public func isInFlight(_ id: OperationID) -> Bool {
        flight(of: id) != nil
    }

    /// Returns the flight of this operation; `nil` when the operation is not in flight.
    ///
    /// - Complexity: O(``maximumInFlight``).
    public func flight(of id: OperationID) -> Flight? {
        flights.first { $0.envelope.id == id }
    }

    mutating func setEntry(_ entry: EntryID, of id: OperationID) {
        flights[flightIndex(of: id)].entry = entry
    }

    mutating func setLease(_ end: WallTime?, of id: OperationID) {
        flights[flightIndex(of: id)].leasedUntil = end
    }

    private func isLaneInFlight(of envelope: Envelope) -> Bool {
        guard let lane = envelope.orderingKey else { return false }
        return flights.contains { $0.envelope.orderingKey == lane }
    }

    private func flightIndex(of id: OperationID) -> Int {
        guard let index = flights.firstIndex(where: { $0.envelope.id == id }) else {
            preconditionFailure("an event for an operation that is not in flight")
        }
        return index
    }

    private func transition(
        of envelope: Envelope,
        after outcome: Outcome,
        now: WallTime,
        jitter: UInt32
    ) -> Transition {
        var next = envelope
        switch outcome {
        case .done:
            return .remove
        case .park(let reason):
            next.lastError = reason
            return .park(next)
        case .retry(let reason):
            next.countFailure(reason, cause: .backoff)
            let delay = policy.delay(afterAttempt: next.attemptCount, jitter: jitter)
            next.nextEligibleAt = now.advanced(by: delay)
        case .retryOnNetwork(let reason):
            next.countFailure(reason, cause: .network)
            let delay = policy.delay(afterAttempt: next.attemptCount, jitter: jitter)
            next.nextEligibleAt = now.advanced(by: delay)
        case .retryAfter(let asked, let reason):
            next.lastError = reason
            next.waitCause = .server
            next.nextEligibleAt = now.advanced(by: policy.serverDelay(asked: asked, jitter: jitter))
        }
        if let lifetime = policy.lifetime, now.since(envelope.createdAt) >= lifetime {
            next.lastError = .expired
            return .park(next)
        }
        return .reschedule(next)
    }
}

extension DeliveryMachine.Outcome {
    /// Whether the outcome ends the operation's attempts for good: the other side has accepted the
    /// operation, or refused it for good.
    public var isFinal: Bool {
        switch self {
        case .done, .park: true
        case .retry, .retryOnNetwork, .retryAfter: false
        }
    }
}

extension ReasonCode {
    /// The operation kept failing for longer than ``RetryPolicy/lifetime``.
    public static let expired: ReasonCode = "expired"
    /// The key under which the operation is sealed is not there.
    public static let keyMissing: ReasonCode = "key.missing"
    /// No handler is registered for the operation's kind.
    public static let noHandler: ReasonCode = "no-handler"
}

extension Envelope {
    fileprivate mutating func countFailure(_ reason: ReasonCode, cause: WaitCause) {
        if attemptCount < .max { attemptCount += 1 }
        lastError = reason
        waitCause = cause
    }

    /// Returns this envelope with a wait that `policy` could have written at `now`.
    ///
    /// A wall clock that is set back leaves waits of hours or years. Such a wait is cut to the
    /// longest wait that the policy ever writes.
    ///
    /// - Returns: `nil` when the wait is already plausible.
    public func clampingWait(to policy: RetryPolicy, now: WallTime) -> Envelope? {
        let latest = now.advanced(by: policy.longestWait(for: waitCause))
        guard nextEligibleAt > latest else { return nil }
        var clamped = self
        clamped.nextEligibleAt = latest
        return clamped
    }

    /// Returns this envelope in the form that is kept outside of the queue, under its lane's
    /// policy.
    public func parked(_ policy: LanePolicy) -> Envelope {
        var parked = self
        parked.blocksLane = orderingKey != nil && policy == .blockLane
        return parked
    }

    /// Returns this envelope, eligible at once or as soon as the operation is the front of its
    /// lane. The count of attempts does not change.
    public func madeEligible() -> Envelope {
        var eligible = self
        eligible.blocksLane = false
        eligible.nextEligibleAt = .distantPast
        eligible.waitCause = .nothing
        return eligible
    }
}
