import NIOCore

/// The requests that each network and each site may still begin: token buckets in memory.
///
/// A request beyond them is answered before it is routed, without a look at the database, so that a
/// network that floods the relay costs it next to nothing. Rights of a person are counted elsewhere,
/// durably (``MemoQuota``, ``VerificationLedger``): a restart fills these buckets.
///
/// More networks than ``TokenBuckets`` keeps have hardly a request each.
final class RequestRates: Sendable {
    /// The time in which an empty bucket becomes full.
    static let refill: TimeAmount = .seconds(10)
    /// A site may have as many requests as so many networks.
    static let networksOfSite = 4

    /// The sender of a request, as requests are counted.
    struct Sender: Hashable, Sendable {
        /// See ``RequestSource/network(of:)``.
        let network: String
        /// See ``RequestSource/site(of:)``.
        let site: String
    }

    private let networks: TokenBuckets<String>
    private let sites: TokenBuckets<String>

    /// - Parameters:
    ///   - perSecond: The requests of one network in a second, for any length of time. At once a
    ///     network may begin those of ``refill``.
    ///   - now: The present time.
    init(perSecond: Int, now: NIODeadline = .now()) {
        func buckets(of networks: Int) -> TokenBuckets<String> {
            let perSecond = Double(perSecond * networks)
            let seconds = Double(Self.refill.nanoseconds) / 1e9
            return TokenBuckets(perSecond: perSecond, capacity: perSecond * seconds, now: now)
        }
        networks = buckets(of: 1)
        sites = buckets(of: Self.networksOfSite)
    }

    /// Counts a request, unless it is refused. A request that its site is refused makes no bucket for
    /// its network: a site has 65,536 of them.
    ///
    /// - Complexity: That of ``TokenBuckets/take(_:of:at:)``.
    func admits(_ sender: Sender, at now: NIODeadline = .now()) -> Bool {
        // A network that is refused uses up nothing of its site.
        return sites.take(0, of: sender.site, at: now)
            && networks.take(1, of: sender.network, at: now)
            && sites.take(1, of: sender.site, at: now)
    }

    /// The buckets that are kept.
    var count: Int { networks.count + sites.count }
}
