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
