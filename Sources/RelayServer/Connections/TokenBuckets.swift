import NIOCore
import Synchronization

/// A token bucket for each key, in memory: how many of something a key may have at once, and then in
/// each second.
///
/// The tables are bounded. A bucket that nobody has asked for the time in which an empty one fills is
/// full, as a new one is, so it is forgotten: two generations of buckets change places after that time.
/// When a generation has ``most``, they change places at once.
final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// The greatest number of buckets in a generation.
    static var most: Int { 16_384 }

    private struct Bucket {
        var tokens: Double
        var at: NIODeadline
    }

    private let perSecond: Double
    private let capacity: Double
    /// The time in which an empty bucket becomes full.
    private let refill: TimeAmount
    private let table: Mutex<Generations<[Key: Bucket]>>

    /// - Parameters:
    ///   - perSecond: The tokens that a bucket gets in a second. Greater than 0.
    ///   - capacity: The tokens of a full bucket.
    ///   - now: The present time.
    init(perSecond: Double, capacity: Double, now: NIODeadline = .now()) {
        self.perSecond = perSecond
        self.capacity = capacity
        refill = .nanoseconds(Int64(capacity / perSecond * 1e9))
        table = Mutex(Generations(empty: [:], every: refill, most: Self.most, at: now))
    }

    /// Takes tokens from a bucket that has one; none to look whether it has.
    ///
    /// - Complexity: O(1), but O(``most``) once in the time of a refill, or once for as many new keys.
    func take(_ count: Double, of key: Key, at now: NIODeadline) -> Bool {
        table.withLock { table in
            // Buckets older than a whole generation are full.
            table.turn(at: now)
            var bucket = table.young[key] ?? table.old[key] ?? Bucket(tokens: capacity, at: now)
            let seconds = Double(max(0, (now - bucket.at).nanoseconds)) / 1e9
            bucket.tokens = min(capacity, bucket.tokens + seconds * perSecond)
            bucket.at = now
            let isTaken = bucket.tokens >= 1
            if isTaken { bucket.tokens -= count }
            table.young[key] = bucket
            return isTaken
        }
    }

    /// The buckets that are kept.
    var count: Int { table.withLock { $0.count } }
}
