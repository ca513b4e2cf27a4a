/// Decides what is attempted when. Pure: no clock, no storage, no randomness, no tasks.
///
/// The queue lives in storage, whatever its length; the machine holds only what is in flight.
/// Events are methods, actions are their results. A shell calls the machine, performs the action,
/// and reports what came of it as the next event.
///
/// ## Invariants
/// 1. An operation is in flight at most once. Nothing but ``transitionStored(_:)``, for one or
///    several, takes it out.
/// 2. At most ``maximumInFlight`` operations are in flight.
/// 3. An operation leaves the flight only after its outcome is stored, or when it never can be and
///    the shell offers it no more: a failing removal is tried again, the operation is not.
/// 4. At most one load is under way. A wake-up during a load is not lost: another load follows.
/// 5. An operation whose outcome was stored while a load was under way is not attempted from that
///    load's answer, which may be older than the outcome.
/// 6. A wait that a server asked for does not count as an attempt.
/// 7. A failing operation is only ever retried or parked. Removal follows success alone.
/// 8. After ``stopped()`` nothing new is attempted; what is in flight still settles.
/// 9. Of the operations that share an ordering key at most one is in flight. Whatever storage
///    offers of a lane that is in flight is passed over; when the flight has settled, another load
///    follows.
///
/// ## Transitions of one operation
/// ```
/// queued ──loaded──▶ attempting ──attemptFinished(.done)──▶ settling ──transitionStored──▶ gone
///   ▲                    ├──────────(.retry…)─────────────▶ settling ──transitionStored──▶ queued
///   │                    └──────────(.park)───────────────▶ settling ──transitionStored──▶ parked
///   └── the process dies anywhere above: the operation is queued again, as storage has it
/// settling ──transitionFailed──▶ settling (the same write again, later)
/// ```
public struct DeliveryMachine: Sendable {
    /// One operation in flight.
    public struct Flight: Sendable {
        /// How far its attempt has come.
        public enum Phase: Hashable, Sendable {
            /// Its handler runs.
            case attempting
            /// Its handler answered; the outcome is being written.
            case settling(Transition)
        }

        /// As it was when the attempt began.
        public let envelope: Envelope
        /// How far its attempt has come.
        public fileprivate(set) var phase: Phase
        fileprivate var failedWrites: UInt32 = 0
    }

    /// How a handler's run ended.
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

    /// What storage is to do with an operation whose attempt has ended.
    public enum Transition: Hashable, Sendable {
        /// Delivered: keep nothing.
        case remove
        /// Keep queued under this envelope.
        case reschedule(Envelope)
        /// Keep, out of the queue, under this envelope, whose `lastError` is the reason.
        case park(Envelope)
    }

    /// Look up at most `limit` eligible operations besides those in flight, and the earliest moment
    /// at which another becomes eligible. Answer with `loaded` or `loadFailed`.
    public struct Load: Hashable, Sendable {
        /// At least 1.
        public let limit: Int
    }

    /// The answer to a `loaded` event.
    public struct Start: Hashable, Sendable {
        /// Run the handlers of these, each answered with `attemptFinished`.
        public var attempts: [Envelope] = []
        /// Fire `woken` after this wait, instead of any timer armed before; `nil`: no timer.
        public var timer: Milliseconds?
        /// Load again at once.
        public var load: Load?
    }

    /// When a failed operation is attempted again.
    public let policy: RetryPolicy
    /// How many operations are in flight at most, over all lanes.
    public let maximumInFlight: Int
    /// What is in flight, in the order of starting.
    public private(set) var flights: [Flight] = []

    private var isLoading = false
    private var wokenWhileLoading = false
    private var settledWhileLoading: [OperationID] = []
    private var failedLoads: UInt32 = 0
    private var isStopped = false

    /// - Parameters:
    ///   - policy: When a failed operation is attempted again.
    ///   - maximumInFlight: At least 1; over all lanes.
    public init(policy: RetryPolicy, maximumInFlight: Int = 3) {
        precondition(maximumInFlight >= 1)
        self.policy = policy
        self.maximumInFlight = maximumInFlight
    }

    /// Whether nothing is in flight and no load is under way.
    public var isIdle: Bool { flights.isEmpty && !isLoading }

    /// Something may have become eligible: an enqueue, a timer, a person, the network.
    ///
    /// - Returns: `nil` when a load is under way already, no place is free, or the machine is
    ///   stopped.
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

    /// A look-up ended.
    ///
    /// - Parameters:
    ///   - eligible: In the order in which they are to start. Operations in flight are passed over,
    ///     and so are those whose lane is in flight: storage has given it another front meanwhile.
    ///   - nextEligibleAt: When the earliest operation not in `eligible` becomes so. May be left
    ///     out when `eligible` takes every place: no timer is needed before the next load.
    ///   - now: By the same clock as what is persisted.
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
            for envelope in eligible where flights.count < maximumInFlight {
                guard !isInFlight(envelope.id), !isLaneInFlight(of: envelope),
                    !settledWhileLoading.contains(envelope.id)
                else { continue }
                flights.append(Flight(envelope: envelope, phase: .attempting))
                start.attempts.append(envelope)
            }
            if let nextEligibleAt {
                start.timer = max(nextEligibleAt.since(now), Milliseconds(0))
            }
        }
        let isStale = wokenWhileLoading
        wokenWhileLoading = false
        settledWhileLoading.removeAll()
        if isStale { start.load = woken() }
        return start
    }

    /// A look-up failed: storage could not be read, or the key cannot be read now.
    ///
    /// - Returns: The wait after which to fire `woken`.
    public mutating func loadFailed(jitter: UInt32) -> Milliseconds {
        precondition(isLoading, "loadFailed without a load under way")
        isLoading = false
        wokenWhileLoading = false
        settledWhileLoading.removeAll()
        failedLoads = failedLoads == .max ? .max : failedLoads + 1
        return policy.delay(afterAttempt: failedLoads, jitter: jitter)
    }

    /// A handler's run ended.
    ///
    /// - Parameters:
    ///   - id: An operation that is being attempted.
    ///   - outcome: What its handler answered.
    ///   - now: By the same clock as what is persisted.
    ///   - jitter: A uniformly random word, which lengthens a wait.
    ///   - lanePolicy: What is to become of the operation's lane if the operation is parked.
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
        precondition(flights[index].phase == .attempting, "an attempt finished twice")
        var transition = transition(
            of: flights[index].envelope,
            after: outcome,
            now: now,
            jitter: jitter
        )
        if case .park(let parked) = transition { transition = .park(parked.parked(lanePolicy)) }
        flights[index].phase = .settling(transition)
        return transition
    }

    /// The outcome of an operation is stored; its place is free.
    ///
    /// - Returns: The next look-up, `nil` when one is under way already or the machine is stopped.
    public mutating func transitionStored(_ id: OperationID) -> Load? {
        leaveFlight(id)
        return woken()
    }

    /// The outcomes of several operations are stored; their places are free, for one look-up.
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

    /// The outcome of an operation could not be stored. Its place stays taken, so that what was
    /// delivered is not delivered again for want of a removal.
    ///
    /// - Returns: The wait after which to store the same outcome once more.
    public mutating func transitionFailed(_ id: OperationID, jitter: UInt32) -> Milliseconds {
        let index = flightIndex(of: id)
        guard case .settling = flights[index].phase else {
            preconditionFailure("a transition failed that was not asked for")
        }
        if flights[index].failedWrites < .max { flights[index].failedWrites += 1 }
        return policy.delay(afterAttempt: flights[index].failedWrites, jitter: jitter)
    }

    /// Starts nothing from here on.
    public mutating func stopped() {
        isStopped = true
    }

    /// Whether the operation is being attempted, or its outcome being written.
    ///
    /// - Complexity: O(``maximumInFlight``).
    public func isInFlight(_ id: OperationID) -> Bool {
        flight(of: id) != nil
    }

    /// The flight of this operation; `nil` when it is not in flight.
    ///
    /// - Complexity: O(``maximumInFlight``).
    public func flight(of id: OperationID) -> Flight? {
        flights.first { $0.envelope.id == id }
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

extension ReasonCode {
    /// The operation kept failing for longer than ``RetryPolicy/lifetime``.
    public static let expired: ReasonCode = "expired"
    /// No handler is registered for the operation's kind.
    public static let noHandler: ReasonCode = "no-handler"
}

extension Envelope {
    fileprivate mutating func countFailure(_ reason: ReasonCode, cause: WaitCause) {
        if attemptCount < .max { attemptCount += 1 }
        lastError = reason
        waitCause = cause
    }

    /// This envelope with a wait that `policy` could have written at `now`.
    ///
    /// A wall clock that was set back leaves waits of hours or years behind; they are cut to the
    /// longest that the policy ever writes.
    ///
    /// - Returns: `nil` when the wait is plausible already.
    public func clampingWait(to policy: RetryPolicy, now: WallTime) -> Envelope? {
        let latest = now.advanced(by: policy.longestWait(for: waitCause))
        guard nextEligibleAt > latest else { return nil }
        var clamped = self
        clamped.nextEligibleAt = latest
        return clamped
    }

    /// This envelope, as it is to be kept out of the queue under its lane's policy.
    public func parked(_ policy: LanePolicy) -> Envelope {
        var parked = self
        parked.blocksLane = orderingKey != nil && policy == .blockLane
        return parked
    }

    /// This envelope, eligible at once, or as soon as it is the front of its lane. The count of
    /// attempts is kept.
    public func madeEligible() -> Envelope {
        var eligible = self
        eligible.blocksLane = false
        eligible.nextEligibleAt = .distantPast
        eligible.waitCause = .nothing
        return eligible
    }
}
