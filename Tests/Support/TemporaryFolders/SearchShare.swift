import Foundation
import TestSeeds

/// The places of an exhaustive search that one run tries: all of them, or each n-th one.
///
/// `MEMO_SEARCH_STRIDE=n` in the environment chooses each n-th place, beginning with the one that the
/// seed `search-share` leaves. `scripts/test` sets it; `scripts/test --all` does not.
package struct SearchShare: CustomStringConvertible, Sendable {
    /// The distance between two tried places; at least 1.
    package let stride: Int

    /// The first tried place, below ``stride``.
    package let first: Int

    /// The share that the environment asks for.
    package init() {
        let wanted = ProcessInfo.processInfo.environment["MEMO_SEARCH_STRIDE"].flatMap { Int($0) }
        stride = max(wanted ?? 1, 1)
        first = Int(TestSeeds["search-share"][0] % UInt64(stride))
    }

    package var description: String {
        stride == 1 ? "each place" : "each \(stride)th place from \(first) on"
    }

    /// The tried ones of all places, in their order.
    package func of<Place>(_ places: [Place]) -> [Place] {
        Swift.stride(from: first, to: places.count, by: stride).map { places[$0] }
    }
}
