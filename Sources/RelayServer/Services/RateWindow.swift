package import OutboxCore

/// The times whose events count against a limit, seen from one moment: those that lie less than the
/// window's length away.
///
/// A time that lies further in the future was stored while the clock was wrong. It does not count,
/// so that a clock that was set back strands nobody.
package struct RateWindow: Hashable, Sendable {
    package let length: Milliseconds
    /// An event at this time, or before it, no longer counts.
    package let start: WallTime
    /// An event at this time, or after it, does not count.
    package let end: WallTime

    init(_ length: Milliseconds, at now: WallTime) {
        self.length = length
        start = now.advanced(by: Milliseconds(-length.count))
        end = now.advanced(by: length)
    }

    /// Whether an event counts.
    func contains(_ time: WallTime) -> Bool { time > start && time < end }

    /// The use by events at these times, in any order.
    package func use(by times: some Sequence<WallTime>) -> RateUse {
        let counted = times.filter(contains)
        return RateUse(count: counted.count, oldest: counted.min())
    }

    /// The wait until one of the counted events no longer counts; never longer than the window.
    func wait(after use: RateUse) -> Milliseconds {
        guard let oldest = use.oldest else { return length }
        return min(max(oldest.since(start), Milliseconds(1)), length)
    }
}

/// The events that a store counted in a ``RateWindow``.
package struct RateUse: Hashable, Sendable {
    package let count: Int
    /// The time of the earliest counted event; `nil` when there is none.
    package let oldest: WallTime?

    package init(count: Int, oldest: WallTime?) {
        self.count = count
        self.oldest = oldest
    }
}
