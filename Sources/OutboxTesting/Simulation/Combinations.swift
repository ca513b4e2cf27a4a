/// Several things, each of which is left in one of some ways whatever becomes of the others: after a
/// power cut each file and each name. A combination says for each thing which way, from 0 on.
///
/// ```swift
/// // A file that holds its old bytes, its new ones or half of them, and a name that is there or not.
/// Combinations(of: [3, 2]).forEach(using: &random) { picked in
///     check(state(file: contents[picked[0]], isNamed: picked[1] == 1))
/// }
/// ```
///
/// Let 0 be what was there before and 1 what was wanted last: the corners that
/// ``forEach(using:_:)`` visits are then nothing done and everything done.
public struct Combinations: Sendable {
    /// Up to this many are all visited.
    public static let limit = 128

    private let ways: [Int]

    /// - Parameter ways: In how many ways each thing can be left; at least one.
    public init(of ways: [Int]) {
        precondition(ways.allSatisfy { $0 > 0 }, "a thing that is left in no way at all")
        self.ways = ways
    }

    /// The combination in which everything is left in its way 0.
    public var first: [Int] { ways.map { _ in 0 } }

    /// One of the combinations, each as likely as any other.
    public func any(using random: inout some RandomNumberGenerator) -> [Int] {
        ways.map { Int.random(in: 0..<$0, using: &random) }
    }

    /// Calls `body` with each combination, once.
    ///
    /// Where there are more than ``limit``, with all corners and some random ones: everything in its
    /// way 0, everything in its way 1, and each of the two with any one thing in any other way. The
    /// random ones may repeat.
    ///
    /// - Complexity: calls of `body`: at most ``limit``, or two for each way of each thing, and half
    ///   of ``limit``.
    public func forEach(
        using random: inout some RandomNumberGenerator,
        _ body: ([Int]) throws -> Void
    ) rethrows {
        let count = ways.reduce(1) { min($0 * $1, Self.limit + 1) }
        if count <= Self.limit {
            for number in 0..<count { try body(combination(number)) }
            return
        }
        for base in [first, ways.map { min(1, $0 - 1) }] {
            try body(base)
            for (thing, count) in ways.enumerated() {
                for way in 0..<count where way != base[thing] {
                    var picked = base
                    picked[thing] = way
                    try body(picked)
                }
            }
        }
        // All ways of a thing that is alone have been visited.
        guard ways.count > 1 else { return }
        for _ in 0..<Self.limit / 2 { try body(any(using: &random)) }
    }

    /// The combinations in order, the first thing changing the fastest.
    private func combination(_ number: Int) -> [Int] {
        var rest = number
        return ways.map { count in
            defer { rest /= count }
            return rest % count
        }
    }
}
