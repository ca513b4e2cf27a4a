import Foundation

/// Seconds that one thing took, measured several times.
public struct Samples {
    private var seconds: [Double] = []

    public init() {}

    public mutating func append(_ sample: Double) {
        seconds.append(sample)
    }

    public var median: Double { percentile(50) }

    /// - Precondition: There is at least one sample.
    public func percentile(_ percent: Int) -> Double {
        seconds.sorted()[(seconds.count - 1) * percent / 100]
    }

    /// p50, p99 and the longest, in the largest unit that leaves a figure above one.
    public var summary: String {
        let unit: (name: String, perSecond: Double) =
            median >= 1e-3 ? ("ms", 1e3) : median >= 1e-6 ? ("µs", 1e6) : ("ns", 1e9)
        let figures = [50, 99, 100].map { formatted(percentile($0) * unit.perSecond) }
        return "p50 \(figures[0]) \(unit.name), p99 \(figures[1]) \(unit.name), "
            + "max \(figures[2]) \(unit.name)"
    }
}

/// `value` with two decimals.
public func formatted(_ value: Double) -> String { String(format: "%.2f", value) }

/// The duration of `body`, in seconds of the monotonic clock.
public func seconds(of body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}
