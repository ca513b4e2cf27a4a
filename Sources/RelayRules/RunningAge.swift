package import OutboxCore

/// The rule by which the relay discards what it need not keep for ever: dead letters, and devices that
/// are signed out.
///
/// The age is the time for which the relay has run since it first saw the letter dead, or the device
/// signed out. The store keeps the sum of the spans that the relay has run, measured by the monotonic
/// clock. So a wall clock that is wrong, at a start too, discards nothing. A relay that is off makes
/// nothing older.
public struct RunningAge: Hashable, Sendable {
    /// The age at which something is discarded.
    package let lifetime: Milliseconds

    package init(lifetime: Milliseconds) {
        self.lifetime = lifetime
    }

    /// The longest span between two notes of the running time that counts as running. The monotonic
    /// clock continues while a machine sleeps, and a machine that sleeps for a month shows its
    /// operator no dead letter.
    private static let longestSpan: Milliseconds = .seconds(1200)

    /// The running time after a further span.
    ///
    /// - Parameters:
    ///   - running: The noted running time.
    ///   - span: The time since that note. A span below zero counts as none.
    package func running(_ running: Milliseconds, after span: Milliseconds) -> Milliseconds {
        Milliseconds(running.count + min(max(span, Milliseconds(0)), Self.longestSpan).count)
    }

    /// Whether something is old.
    ///
    /// - Parameters:
    ///   - seen: The running time at which the relay first saw the letter dead, or the device signed out.
    ///   - running: The running time of this moment.
    package func isReached(since seen: Milliseconds, at running: Milliseconds) -> Bool {
        running.count - seen.count >= lifetime.count
    }
}
