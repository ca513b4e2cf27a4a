public import OutboxCore

extension AppText {
    /// The sentence that says why an operation has not left, and what becomes of it.
    ///
    /// - Parameter reason: The last error of a queued operation, or why it is parked. The types of
    ///   error are those of the faces' deliveries; for one that this build does not know the
    ///   sentence is the general one of its state.
    /// - Parameter isParked: Whether it waits for a person rather than for a retry.
    /// - Returns: `{1}` in ``reasonRefused`` is the reason code itself.
    public init(reason: ReasonCode, isParked: Bool) {
        let code = reason.utf8
        if code.isEqual(to: "unauthorized") {
            self = .reasonSignedOut
        } else if code.isEqual(to: "no-handler") {
            self = .reasonUnsupported
        } else if isParked {
            self = .reasonRefused
        } else if code.isEqual(to: "network.unreachable") {
            self = .reasonOffline
        } else if code.isEqual(to: "relay.http.429") || code.isEqual(to: "relay.http.503") {
            self = .reasonWait
        } else {
            self = .reasonRelay
        }
    }
}
