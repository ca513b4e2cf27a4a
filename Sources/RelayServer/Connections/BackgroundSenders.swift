import NIOCore
import Synchronization

/// The senders whose requests the ``BackgroundThread`` answers, so that they do not hold others up:
/// those that were refused lately, and devices that ask quicker than a person does. They get the same
/// answers, those that were refused a ``pause`` later: who asks again at each answer asks less.
///
/// A sender has several names: its token, its network and its site. A refusal counts for each of them, so
/// that neither a new token nor another network of the same site makes a sender a new one. The requests
/// are counted by their token alone: many people share a network.
///
/// Kept in memory, as hashes. Refusals are kept in two generations of a bounded number of names: a name
/// is forgotten after one to two ``period``s, or earlier when there are too many.
final class BackgroundSenders: Sendable {
    static let period: TimeAmount = .seconds(30)
    /// The time for which the request of a sender that was refused waits before it begins.
    static let pause: TimeAmount = .milliseconds(50)
    /// The greatest number of names in a generation.
    static let most = 65_536
    /// The requests of a device that are at once those of a person, and so many in a second for any time.
    static let burst = 4.0
    static let perSecond = 0.5

    /// How a request is answered.
    enum Standing {
        case atOnce
        case inBackground
        case inBackgroundAfterPause
    }

    /// The names of a sender, as hashes.
    struct Names: Sendable {
        fileprivate let token: Int?
        fileprivate let all: [Int]

        init(token: String?, _ sender: RequestRates.Sender?) {
            self.token = token.map { "token \($0)".hashValue }
            var all: [Int] = []
            if let token = self.token { all.append(token) }
            if let sender {
                all.append("network \(sender.network)".hashValue)
                all.append("site \(sender.site)".hashValue)
            }
            self.all = all
        }
    }

    private let generations: Mutex<Generations<Set<Int>>>
    private let paces: TokenBuckets<Int>

    init(now: NIODeadline = .now()) {
        generations = Mutex(
            Generations(empty: [], every: Self.period, most: Self.most, at: now)
        )
        paces = TokenBuckets(perSecond: Self.perSecond, capacity: Self.burst, now: now)
    }

    /// Counts a request, and tells how it is answered. Made-up tokens of a sender that was refused fill no
    /// table.
    func begun(_ names: Names, at now: NIODeadline) -> Standing {
        if include(names, at: now) { return .inBackgroundAfterPause }
        let isQuick = names.token.map { !paces.take(1, of: $0, at: now) } ?? false
        return isQuick ? .inBackground : .atOnce
    }

    /// Whether one of the names was refused lately.
    private func include(_ names: Names, at now: NIODeadline) -> Bool {
        generations.withLock { generations in
            generations.turn(at: now)
            return names.all.contains {
                generations.young.contains($0) || generations.old.contains($0)
            }
        }
    }

    func refused(_ names: Names, at now: NIODeadline) {
        generations.withLock { generations in
            generations.turn(at: now)
            generations.young.formUnion(names.all)
        }
    }

    /// The names of refused senders that are kept.
    var count: Int { generations.withLock { $0.count } }

    /// The devices whose requests are counted.
    var countedDevices: Int { paces.count }
}
