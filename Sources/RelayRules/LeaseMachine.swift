package import OutboxCore

/// A shard, and the epoch under which a relay has it.
package struct ShardClaim: Hashable, Sendable {
    /// The shard's number.
    package let shard: Int
    /// The epoch, which a claim makes and which only grows.
    package let epoch: Int64

    /// - Parameters:
    ///   - shard: See ``shard``.
    ///   - epoch: See ``epoch``.
    package init(shard: Int, epoch: Int64) {
        self.shard = shard
        self.epoch = epoch
    }
}

/// The shards that a relay has of a part of the queue: a pure machine, which is told the time, and the
/// answers of the database.
///
/// It answers what the relay asks the database next, of which shards the relay hands mails out, and which
/// outcomes the relay records.
///
/// Invariants:
/// 1. Mails are handed out only of shards of which no other relay can have a lease: until ``end``, which is
///    counted from before the question that renewed the leases, less the margin for clocks that differ.
/// 2. A mail stays one of the claim that the relay had before the look that found it, until its outcome is
///    recorded or refused.
/// 3. An outcome is recorded only under the claim of its mail, as the fence finds it in the same transaction.
/// 4. A shard is given back when none of its mails is in flight, and no look at them is under way; none of
///    its mails is handed out from the decision on.
/// 5. A claim that was to be given back is never used again, whatever the database says of it later: a
///    statement of a lost connection may be performed at any time. Only a new epoch of the shard is.
///
/// Failures: a question whose answer is lost changes nothing here, and the next one finds what it did. A
/// relay that cannot ask any more has no shards when ``end`` has come.
///
/// `LeaseMachineTests` walks every course of two relays over one shard.
package struct LeaseMachine: Hashable, Sendable {
    /// A look at the queue that is under way, and the shards of which it hands mails out.
    package struct Look: Hashable, Sendable {
        fileprivate let number: Int
        /// The shards, each with the epoch under which its mails are handed out.
        package let epochs: [Int: Int64]
    }

    /// A question about the leases.
    package struct Question: Hashable, Sendable {
        /// Whether it renews the leases before it reads them.
        package let renews: Bool
        var begun: ContinuousClock.Instant
    }

    /// What is to be done after the answer to a question.
    package enum Action: Hashable, Sendable {
        /// Leases are to be given back, and then to be asked about again: a relay without shards has the
        /// whole part, or had it meanwhile.
        case beginAgain(returns: Set<ShardClaim>)
        /// Leases are to be given back, and then others to be claimed.
        case move(returns: Set<ShardClaim>, claims: Set<Int>)
    }

    /// The claims under which outcomes are to be recorded.
    package struct Fence: Hashable, Sendable {
        private let claims: [OperationID: ShardClaim]
        /// The epoch under which all relays with shards hold the whole part.
        package let wholePart: Int64

        fileprivate init(_ claims: [OperationID: ShardClaim], wholePart: Int64) {
            self.claims = claims
            self.wholePart = wholePart
        }

        /// The shards whose rows the transaction of the outcomes is to hold.
        package var shards: Set<Int> { Set(claims.values.map(\.shard)) }

        /// Whether a mail's outcome is to be recorded.
        ///
        /// - Parameter epochs: The epochs of those shards that the relay has, as their rows say.
        package func isOwn(_ mail: OperationID, under epochs: [Int: Int64]) -> Bool {
            claims[mail].map { epochs[$0.shard] == $0.epoch } ?? false
        }

        /// The claims of mails.
        package func claims(of mails: [OperationID]) -> Set<ShardClaim> {
            Set(mails.compactMap { claims[$0] })
        }
    }

    private let times: LeaseTimes
    /// The shards that this relay has.
    package private(set) var epochs: [Int: Int64] = [:]
    /// The shards of which no mail is handed out any more.
    private var decided: Set<Int> = []
    /// The claims that were to be given back, as far as the database may have them.
    private(set) var left: Set<ShardClaim> = []
    /// The time up to which no other relay takes any of them.
    var end: ContinuousClock.Instant?
    var nextRenewal: ContinuousClock.Instant?
    /// The epoch of the row of the whole part.
    private var wholePart: Int64?
    /// The mails that were handed out, each under its claim, as far as they may be in flight.
    private(set) var handedOut: [OperationID: ShardClaim] = [:]
    private var looks: [Int: Set<Int>] = [:]

    /// A relay without shards.
    ///
    /// - Parameter times: The times of its leases.
    package init(times: LeaseTimes) { self.times = times }

    /// The shards that this relay has, and is about to give back.
    package var returning: Set<Int> { decided.intersection(epochs.keys) }

    // MARK: Handing out

    /// Begins a look at the queue, of the shards that this relay has at this time. The look is to be ended,
    /// once.
    package mutating func beginLook(at now: ContinuousClock.Instant) -> Look {
        let isHeld = end.map { $0 > now } ?? false
        let look = Look(
            number: (looks.keys.max() ?? 0) + 1,
            epochs: isHeld ? epochs.filter { !decided.contains($0.key) } : [:]
        )
        looks[look.number] = Set(look.epochs.keys)
        return look
    }

    /// Ends a look.
    ///
    /// - Parameters:
    ///   - look: The look.
    ///   - found: The shards of the mails that are handed out. A mail in flight stays one of the claim under
    ///     which it was handed out.
    ///   - inFlight: The mails that were in flight when the look began; `nil` for a look that failed.
    package mutating func end(
        _ look: Look,
        handingOut found: [OperationID: Int] = [:],
        inFlight: Set<OperationID>? = nil
    ) {
        looks[look.number] = nil
        if let inFlight {
            // What an earlier look has found, and nobody has attempted since, is not in flight.
            handedOut = handedOut.filter { inFlight.contains($0.key) }
        }
        for (mail, shard) in found where inFlight?.contains(mail) != true {
            handedOut[mail] = look.epochs[shard].map { ShardClaim(shard: shard, epoch: $0) }
        }
    }

    // MARK: Outcomes

    /// The claims under which the outcomes of mails are to be recorded.
    package func fence(of mails: [OperationID]) -> Fence {
        let claims = mails.compactMap { mail in handedOut[mail].map { (mail, $0) } }
        return Fence(
            Dictionary(claims, uniquingKeysWith: { first, _ in first }),
            wholePart: wholePart ?? 0
        )
    }

    /// Notes that the outcomes of mails are recorded, or are not to be because their claims are `lost`.
    package mutating func forget(_ mails: [OperationID], lost: Set<ShardClaim>) {
        for mail in mails { handedOut[mail] = nil }
        for claim in lost where epochs[claim.shard] == claim.epoch { epochs[claim.shard] = nil }
    }

    // MARK: Leases

    /// Has the next question renew the leases, also before it is time.
    package mutating func renewNext() { nextRenewal = nil }

    /// A question about the leases, which renews them when it is time.
    package func question(at now: ContinuousClock.Instant) -> Question {
        Question(renews: nextRenewal.map { $0 <= now } ?? true, begun: now)
    }

    /// Takes the answer to a question.
    ///
    /// - Parameters:
    ///   - view: What the database says of the leases.
    ///   - whole: The epoch of the row of the whole part, from a question that renews: `nil` while a relay
    ///     without shards has the part.
    package mutating func answered(
        _ question: Question,
        _ view: LeaseView,
        wholePart whole: Int64?
    ) -> Action {
        let whole = question.renews ? whole : wholePart
        let own = Set(view.epochs.map { ShardClaim(shard: $0.key, epoch: $0.value) })
        guard let whole, whole == wholePart else {
            epochs = [:]
            end = nil
            left = own
            return .beginAgain(returns: own)
        }
        left.formIntersection(own)
        epochs = view.epochs.filter { !left.contains(ShardClaim(shard: $0.key, epoch: $0.value)) }
        if question.renews {
            end = question.begun + .milliseconds(times.length.count - times.margin.count)
            nextRenewal = question.begun + .milliseconds(times.renewal.count)
        }
        decided = view.returns
        let busy = Set(handedOut.values.map(\.shard)).union(looks.values.joined())
        for shard in returning.subtracting(busy) {
            left.formUnion(own.filter { $0.shard == shard })
            epochs[shard] = nil
        }
        return .move(returns: left, claims: view.claims)
    }

    /// Notes that the leases are given back.
    ///
    /// - Parameter wholePart: As of the question whose answer said so.
    package mutating func beganAgain(wholePart: Int64?) { self.wholePart = wholePart }

    /// Notes the epochs of shards that were claimed and got.
    package mutating func claimed(_ epochs: [Int: Int64]) {
        self.epochs.merge(epochs) { _, new in new }
    }
}

/// What the database says of the leases of a part, and what a relay does to have its share.
package struct LeaseView: Hashable, Sendable {
    /// The shards that the relay has.
    let epochs: [Int: Int64]
    /// The shards that it is to claim, and to give back.
    let claims: Set<Int>
    let returns: Set<Int>

    /// - Parameters:
    ///   - relay: The name of the relay.
    ///   - relays: The names of all relays that hand mails of the part over now.
    ///   - shards: The shards of the part in their order, each with its holder if it has one.
    package init<Name: Hashable & Comparable>(
        of relay: Name,
        among relays: Set<Name>,
        shards: [(claim: ShardClaim, holder: Name?)]
    ) {
        let share = ShardShare(of: relay, among: relays, holders: shards.map(\.holder))
        let own = shards.filter { $0.holder == relay }.map { ($0.claim.shard, $0.claim.epoch) }
        epochs = Dictionary(own, uniquingKeysWith: max)
        claims = Set(share.claims.map { shards[$0].claim.shard })
        returns = Set(share.returns.map { shards[$0].claim.shard })
    }
}
