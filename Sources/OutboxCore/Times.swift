/// A moment on the wall clock, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Wall-clock moments are the only times that are ever persisted. They are compared, never
/// slept on: a process waits on a monotonic clock (see ``DeliveryMachine``).
public struct WallTime: Hashable, Comparable, Sendable {
    /// The number of milliseconds since 1970-01-01T00:00:00Z; negative before 1970.
    public var millisecondsSinceEpoch: Int64

    /// Creates the moment that is this many milliseconds after 1970-01-01T00:00:00Z.
    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// The moment from which a freshly enqueued operation is eligible: always in the past, on
    /// any clock, so that a clock that is wrong at enqueue cannot delay the first attempt.
    public static let distantPast = WallTime(millisecondsSinceEpoch: 0)

    public static func < (left: Self, right: Self) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }

    /// Returns this moment plus `delay`; saturates instead of overflowing.
    public func advanced(by delay: Milliseconds) -> WallTime {
        let (sum, overflow) = millisecondsSinceEpoch.addingReportingOverflow(delay.count)
        if overflow {
            return WallTime(millisecondsSinceEpoch: delay.count < 0 ? .min : .max)
        }
        return WallTime(millisecondsSinceEpoch: sum)
    }

    /// Returns the time from `earlier` to this moment; saturates instead of overflowing.
    public func since(_ earlier: WallTime) -> Milliseconds {
        let (difference, overflow) = millisecondsSinceEpoch.subtractingReportingOverflow(
            earlier.millisecondsSinceEpoch
        )
        if overflow { return Milliseconds(millisecondsSinceEpoch < 0 ? .min : .max) }
        return Milliseconds(difference)
    }
}

/// A span of time in whole milliseconds.
///
/// `Duration` is avoided in the pure core: several of its operations need 128-bit arithmetic that
/// Embedded Swift for wasm32 does not link.
public struct Milliseconds: Hashable, Comparable, Sendable {
    /// The number of milliseconds; may be negative.
    public var count: Int64

    /// Creates a span of this many milliseconds.
    public init(_ count: Int64) {
        self.count = count
    }

    /// Returns a span of whole seconds. `seconds` must be less than 2^63 / 1000.
    public static func seconds(_ seconds: Int64) -> Milliseconds {
        Milliseconds(seconds * 1000)
    }

    public static func < (left: Self, right: Self) -> Bool { left.count < right.count }
}

#if !hasFeature(Embedded)
    extension WallTime: CustomStringConvertible {
        /// The moment in UTC in the form of RFC 3339: `2026-11-23T01:29:12.045Z`.
        public var description: String {
            let day = millisecondsSinceEpoch.floored(by: 86_400_000)
            let date = Self.civilDate(daysSinceEpoch: Int(day.quotient))
            let second = day.remainder / 1000
            let clock = [second / 3600, second / 60 % 60, second % 60]
                .map { $0.padded(to: 2) }.joined(separator: ":")
            let year = date.year.padded(to: 4)
            let month = date.month.padded(to: 2)
            return
                "\(year)-\(month)-\(date.day.padded(to: 2))T\(clock).\((day.remainder % 1000).padded(to: 3))Z"
        }

        /// The day in the Gregorian calendar, by
        /// [chrono-compatible date algorithms](https://howardhinnant.github.io/date_algorithms.html).
        package static func civilDate(
            daysSinceEpoch: Int
        ) -> (year: Int, month: Int, day: Int) {
            let (era, dayOfEra) = (daysSinceEpoch + 719_468).floored(by: 146_097)
            let yearOfEra =
                (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            return (
                yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
                dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            )
        }
    }

    extension Milliseconds: CustomStringConvertible {
        /// The number with its unit: `600000 ms`.
        public var description: String { "\(count) ms" }
    }

    extension BinaryInteger {
        /// The division with a remainder that is never negative.
        fileprivate func floored(by divisor: Self) -> (quotient: Self, remainder: Self) {
            let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
            return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
        }

        fileprivate func padded(to width: Int) -> String {
            let digits = String(magnitude)
            let zeros = String(repeating: "0", count: max(0, width - digits.count))
            return (self < 0 ? "-" : "") + zeros + digits
        }
    }
#endif
