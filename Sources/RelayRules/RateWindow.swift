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

    package init(_ length: Milliseconds, at now: WallTime) {
        self.length = length
        start = now.advanced(by: Milliseconds(-length.count))
        end = now.advanced(by: length)
    }

    /// Whether an event counts.
    package func contains(_ time: WallTime) -> Bool { time > start && time < end }

    /// Whether all events of another window count in this one.
    package func encloses(_ other: RateWindow) -> Bool {
        start <= other.start && other.end <= end
    }

    /// The use by events at these times, in any order.
    package func use(by times: some Sequence<WallTime>) -> RateUse {
        let counted = times.filter(contains)
        return RateUse(count: counted.count, oldest: counted.min())
    }

    /// The wait until one of the counted events no longer counts; never longer than the window.
    func wait(after use: RateUse) -> Milliseconds { wait(afterOldest: use.oldest) }

    /// The wait until the earliest counted event no longer counts; never longer than the window.
    func wait(afterOldest oldest: WallTime?) -> Milliseconds {
        guard let oldest else { return length }
        return min(max(oldest.since(start), Milliseconds(1)), length)
    }
}

/// The times at which events count that are counted in steps of time, because a key may have more
/// events than a store can go through one by one.
///
/// All events of a step count for as long as an event at the step's end. So no window ever has more
/// events than its limit, and a limit leaves room again up to a step late.
///
/// The steps of a key have ``rows`` that they take in turn, so that a key never has more of them.
/// A clock that was far ahead for a while therefore costs the counts in whose rows it has counted,
/// and no others.
package struct RateSteps: Hashable, Sendable {
    /// The number of rows of a key's steps: more than the steps that count at one moment.
    package static let rows: Int64 = 64
    private static let perWindow: Int64 = 60
    /// The number of steps of all keys that a store keeps: more than a day has.
    package static let kept = 100_000

    /// The window in which steps count, by their beginnings: a step longer than the limit's window.
    package let window: RateWindow
    /// The first and the last beginning of a step that counts. They are those of ``window``, but for nearly all
    /// moments of a step the same ones.
    package let counted: ClosedRange<WallTime>
    /// The beginning of the step at this moment.
    package let current: WallTime
    /// The row of the step at this moment.
    package let row: Int64

    init(_ length: Milliseconds, at now: WallTime) {
        let step = max(1, length.count / Self.perWindow)
        func number(_ time: WallTime, after milliseconds: Int64 = 0) -> Int64 {
            let time = time.millisecondsSinceEpoch + milliseconds
            return time / step - (time % step < 0 ? 1 : 0)
        }
        func beginning(_ number: Int64) -> WallTime {
            WallTime(millisecondsSinceEpoch: number * step)
        }
        let current = number(now)
        window = RateWindow(Milliseconds(length.count + step), at: now)
        counted = beginning(number(window.start) + 1)...beginning(number(window.end, after: -1))
        self.current = beginning(current)
        row = (current % Self.rows + Self.rows) % Self.rows
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
