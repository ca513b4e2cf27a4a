/// All combinations of independent outcomes of several things, such as the files and names on a
/// disk after a power cut. A combination holds one number for each thing: the way in which the
/// thing is left, counted from 0.
///
/// ```swift
/// // A file that holds its old bytes, its new ones or half of them, and a name that is there or not.
/// Combinations(of: [3, 2]).forEach(using: &random) { picked in
///     check(state(file: contents[picked[0]], isNamed: picked[1] == 1))
/// }
/// ```
///
/// Let way 0 be a thing's state before the operation and way 1 its state after the operation. The
/// corners that ``forEach(using:_:)`` visits are then "nothing done" and "everything done".
public struct Combinations: Sendable {
    /// The largest number of combinations that ``forEach(using:_:)`` visits completely.
    public static let limit = 128

    private let ways: [Int]

    /// - Parameter ways: The number of ways in which each thing can be left, at least one.
    public init(of ways: [Int]) {
        precondition(ways.allSatisfy { $0 > 0 }, "a thing that is left in no way at all")
        self.ways = ways
    }

    /// The combination that leaves each thing in its way 0.
    public var first: [Int] { ways.map { _ in 0 } }

    /// A random combination. All combinations are equally likely.
    public func any(using random: inout some RandomNumberGenerator) -> [Int] {
        ways.map { Int.random(in: 0..<$0, using: &random) }
    }

    /// Calls `body` once with each combination.
    ///
    /// If there are more than ``limit`` combinations, calls `body` with all corners and some random
    /// combinations. The corners are: each thing in its way 0, each thing in its way 1, and each of
    /// these two with any one thing in any other way. Random combinations may repeat.
    ///
    /// - Complexity: At most ``limit`` calls of `body`; or, for more combinations, two calls for
    ///   each way of each thing and half of ``limit``.
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
        // The loop above has visited all ways of a single thing.
        guard ways.count > 1 else { return }
        for _ in 0..<Self.limit / 2 { try body(any(using: &random)) }
    }

    /// The combination with this number. The first thing changes the fastest.
    private func combination(_ number: Int) -> [Int] {
        var rest = number
        return ways.map { count in
            defer { rest /= count }
            return rest % count
        }
    }
}
