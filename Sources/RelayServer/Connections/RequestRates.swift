import NIOCore
import Synchronization

/// The requests that each network and each site may still begin: token buckets in memory.
///
/// A request beyond them is answered before it is routed, without a look at the database, so that a
/// network that floods the relay costs it next to nothing. Rights of a person are counted elsewhere,
/// durably (``MemoQuota``, ``VerificationLedger``): a restart fills these buckets.
///
/// The tables are bounded. A bucket that nobody has asked for ``refill`` is full, as a new one is, so
/// it is forgotten: two generations of buckets change places after that time. When a generation is
/// full, they change places at once; more networks than that have hardly a request each.
final class RequestRates: Sendable {
    /// The time in which an empty bucket becomes full.
    static let refill: TimeAmount = .seconds(10)
    /// A site may have as many requests as so many networks.
    static let networksOfSite = 4
    /// The greatest number of buckets in a generation.
    static let most = 16_384

    /// The sender of a request, as requests are counted.
    struct Sender: Hashable, Sendable {
        /// See ``RequestSource/network(of:)``.
        let network: String
        /// See ``RequestSource/site(of:)``.
        let site: String
    }

    private struct Bucket {
        var tokens: Double
        var at: NIODeadline
    }

    private struct Table {
        var young: [String: Bucket] = [:]
        var old: [String: Bucket] = [:]
        var since: NIODeadline
    }

    private let perSecond: Double
    private let networks: Mutex<Table>
    private let sites: Mutex<Table>

    /// - Parameters:
    ///   - perSecond: The requests of one network in a second, for any length of time. At once a
    ///     network may begin those of ``refill``.
    ///   - now: The present time.
    init(perSecond: Int, now: NIODeadline = .now()) {
        self.perSecond = Double(perSecond)
        networks = Mutex(Table(since: now))
        sites = Mutex(Table(since: now))
    }

    /// Counts a request, unless it is refused. A request that its site is refused makes no bucket for
    /// its network: a site has 65,536 of them.
    ///
    /// - Complexity: O(1), but O(``most``) once in ``refill``, or once for as many new networks.
    func admits(_ sender: Sender, at now: NIODeadline = .now()) -> Bool {
        let ofSite = perSecond * Double(Self.networksOfSite)
        // A network that is refused uses up nothing of its site.
        return Self.take(0, of: sender.site, from: sites, perSecond: ofSite, at: now)
            && Self.take(1, of: sender.network, from: networks, perSecond: perSecond, at: now)
            && Self.take(1, of: sender.site, from: sites, perSecond: ofSite, at: now)
    }

    /// The buckets that are kept.
    var count: Int {
        networks.withLock { $0.young.count + $0.old.count }
            + sites.withLock { $0.young.count + $0.old.count }
    }

    /// Takes tokens from a bucket that has one; none to look whether it has.
    private static func take(
        _ count: Double,
        of key: String,
        from table: borrowing Mutex<Table>,
        perSecond: Double,
        at now: NIODeadline
    ) -> Bool {
        let most = perSecond * Double(refill.nanoseconds) / 1e9
        return table.withLock { table in
            if now - table.since >= refill || table.young.count >= Self.most {
                // Buckets older than a whole generation are full.
                table.old = now - table.since >= refill * 2 ? [:] : table.young
                table.young = [:]
                table.since = now
            }
            var bucket = table.young[key] ?? table.old[key] ?? Bucket(tokens: most, at: now)
            let seconds = Double(max(0, (now - bucket.at).nanoseconds)) / 1e9
            bucket.tokens = min(most, bucket.tokens + seconds * perSecond)
            bucket.at = now
            let isAdmitted = bucket.tokens >= 1
            if isAdmitted { bucket.tokens -= count }
            table.young[key] = bucket
            return isAdmitted
        }
    }
}
