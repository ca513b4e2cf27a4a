import HTTPTypes
import NIOCore
import Synchronization

/// The senders whose requests were refused lately: their next ones begin behind those of others
/// (``RequestTurns``). They get the same answers.
///
/// A sender has several names: its token, its network and its site. A refusal counts for each of them, so
/// that neither a new token nor another network of the same site makes a sender a new one.
///
/// Kept in memory, as hashes, in two generations of a bounded number of names: a name is forgotten after
/// one to two ``period``s, or earlier when there are too many.
final class RefusedSenders: Sendable {
    static let period: TimeAmount = .seconds(30)
    /// The greatest number of names in a generation.
    static let most = 65_536

    private struct Generations {
        var young: Set<Int> = []
        var old: Set<Int> = []
        var since: NIODeadline
    }

    private let generations: Mutex<Generations>

    init(now: NIODeadline = .now()) {
        generations = Mutex(Generations(since: now))
    }

    /// The names of a request's sender, as hashes.
    static func names(token: String?, _ sender: RequestRates.Sender?) -> [Int] {
        var names: [Int] = []
        if let token { names.append("token \(token)".hashValue) }
        if let sender {
            names.append("network \(sender.network)".hashValue)
            names.append("site \(sender.site)".hashValue)
        }
        return names
    }

    /// Whether one of the names was refused lately.
    func include(_ names: [Int], at now: NIODeadline) -> Bool {
        generations.withLock { generations in
            turn(&generations, at: now)
            return names.contains {
                generations.young.contains($0) || generations.old.contains($0)
            }
        }
    }

    func refused(_ names: [Int], at now: NIODeadline) {
        generations.withLock { generations in
            turn(&generations, at: now)
            generations.young.formUnion(names)
        }
    }

    /// The names that are kept.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    private func turn(_ generations: inout Generations, at now: NIODeadline) {
        let age = now - generations.since
        guard age >= Self.period || generations.young.count >= Self.most else { return }
        generations.old = age >= Self.period * 2 ? [] : generations.young
        generations.young = []
        generations.since = now
    }
}
