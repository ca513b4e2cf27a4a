package import OutboxCore

extension ReasonCode {
    /// The last failure in a stored envelope: only a code that is safe to show.
    package init(lastErrorOf envelope: [UInt8]) {
        let reason = (try? Envelope(decoding: envelope))?.lastError
        self = reason.flatMap { $0.isPlain ? $0 : nil } ?? "unreadable"
    }
}
