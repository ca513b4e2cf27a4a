import Foundation
import TestSeeds

/// The points of an exhaustive search that one run tries: all of them, or each n-th one.
///
/// `MEMO_SEARCH_STRIDE=n` in the environment chooses each n-th point, beginning with the one that the
/// seed `search-share` leaves. `scripts/test` sets it; `scripts/test --all` does not.
package struct SearchShare: CustomStringConvertible, Sendable {
    /// The distance between two tried points; at least 1.
    package let stride: Int

    /// The first tried point, below ``stride``.
    package let first: Int

    /// The share that the environment asks for.
    package init() {
        let wanted = ProcessInfo.processInfo.environment["MEMO_SEARCH_STRIDE"].flatMap { Int($0) }
        stride = max(wanted ?? 1, 1)
        first = Int(TestSeeds["search-share"][0] % UInt64(stride))
    }

    package var description: String {
        stride == 1 ? "each point" : "each \(stride)th point from \(first) on"
    }

    /// The tried ones of all points, in their order.
    package func of<Point>(_ points: [Point]) -> [Point] {
        Swift.stride(from: first, to: points.count, by: stride).map { points[$0] }
    }
}
