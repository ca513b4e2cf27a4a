import OutboxCore

/// The decisions of one drain besides those of its ``DeliveryMachine``: whether an outcome still
/// counts, whether the drain is over, on which thread the next handler begins. Pure.
///
/// ```
/// running ──stopped()──▶ stopping: nothing new is attempted, each handler is cancelled
/// ```
struct DrainCourse: Sendable {
    private enum Phase: Sendable {
        case running
        /// `cutShort` attempts ended without an outcome that counts; their flights stay.
        case stopping(cutShort: Int)
    }

    /// A handler that keeps the drain's thread for longer has held up the others.
    private static let longestHold = Milliseconds(1)
    /// The number of handlers that then begin on threads of their own.
    private static let apartAfterHold = 100

    private var phase = Phase.running
    private var isSomethingScheduled = false
    private var leftToBeginApart = 0

    // MARK: Ending

    var isStopping: Bool {
        if case .stopping = phase { true } else { false }
    }

    mutating func stopped() {
        if !isStopping { phase = .stopping(cutShort: 0) }
    }

    /// After a stop only a final outcome counts: the other side has accepted the operation, or
    /// refused it for good. An attempt that was cut short leaves its operation as it was.
    ///
    /// - Returns: Whether `outcome` is to be stored.
    mutating func counts(_ outcome: DeliveryMachine.Outcome) -> Bool {
        guard case .stopping(let cutShort) = phase, !outcome.isFinal else { return true }
        phase = .stopping(cutShort: cutShort + 1)
        return false
    }

    /// A look-up ended.
    ///
    /// - Parameter isScheduled: Whether an operation becomes eligible later, or may do so.
    mutating func looked(isScheduled: Bool) {
        isSomethingScheduled = isScheduled
    }

    func isFinished(_ machine: DeliveryMachine, _ end: DrainEnd) -> Bool {
        switch phase {
        case .running:
            end == .idle && machine.isIdle && !isSomethingScheduled
        case .stopping(let cutShort):
            machine.flights.count == cutShort
                && machine.flights.allSatisfy { $0.phase == .attempting }
        }
    }

    // MARK: Threads

    /// Whether the next handler begins on a thread of its own, instead of the drain's.
    mutating func beginsApart() -> Bool {
        guard leftToBeginApart > 0 else { return false }
        leftToBeginApart -= 1
        return true
    }

    /// A handler kept the drain's thread for this long before it waited or returned.
    mutating func held(_ duration: Milliseconds) {
        if duration > Self.longestHold { leftToBeginApart = Self.apartAfterHold }
    }
}

extension DeliveryMachine.Outcome {
    var isFinal: Bool {
        switch self {
        case .done, .park: true
        case .retry, .retryOnNetwork, .retryAfter: false
        }
    }
}
