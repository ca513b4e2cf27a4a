import OutboxCore

/// Decides what one drain does besides its ``DeliveryMachine``'s decisions: which outcomes still
/// count, when the drain is over, where the next handler begins. Pure.
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
    /// How many handlers then begin on threads of their own.
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

    /// After a stop only what the other side has accepted, or refused for good, still counts: an
    /// attempt that was cut short leaves its operation as it was.
    ///
    /// - Returns: Whether `outcome` is to be stored.
    mutating func counts(_ outcome: DeliveryMachine.Outcome) -> Bool {
        guard case .stopping(let cutShort) = phase, !outcome.isFinal else { return true }
        phase = .stopping(cutShort: cutShort + 1)
        return false
    }

    /// A look-up ended. `isScheduled`: an operation becomes eligible later, or may do so.
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
