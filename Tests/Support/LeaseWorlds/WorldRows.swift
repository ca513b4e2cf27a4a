import OutboxCore
import RelayRules

/// The rows of shards, relays and mails of a world, changed as the statements of `RelayPostgres` change
/// them. Each method is one statement or one transaction, at a time of the database's clock.
struct WorldRows {
    struct Shard {
        var holder: Int?
        var epoch: Int64 = 0
        var expires = 0
        /// How often the shard has been somebody else's: an epoch that no sabotage changes.
        var generation = 0
    }

    struct Mail {
        let shard: Int
        var due: Int
        /// The relays that have recorded an outcome, in their order.
        var outcomes: [Int] = []
        /// The latest generation under which the mail was handed out, and the relay.
        var handedOut = (generation: 0, by: 0)
    }

    /// What the database says of the leases.
    struct Answer {
        let view: LeaseView
        /// Of the relay's shards.
        let generations: [Int: Int]
        /// The epoch of the row of the whole part; `nil` while a relay without shards has it.
        let wholePart: Int64?
    }

    private let length: Int
    private(set) var shards: [Shard]
    private(set) var queued: [Int: Mail] = [:]
    /// The times up to which relays said that they are there.
    private var present: [Int: Int] = [:]
    /// The row of the whole part. All relays with shards have it together; `nil` stands for them.
    private var wholePart = (holder: Int?.none, epoch: Int64(1), expires: 0)

    /// - Parameter length: The length of a lease, in milliseconds.
    init(shards: Int, length: Int) {
        self.length = length
        self.shards = Array(repeating: Shard(), count: shards)
    }

    // MARK: Leases

    /// `Statement.holdWholePart`, `.renewal` and `.presence` when it renews; `.shards` and `.holders`.
    mutating func answer(_ relay: Int, renews: Bool, at now: Int) -> Answer {
        if renews {
            if wholePart.holder != nil, wholePart.expires <= now {
                wholePart = (nil, wholePart.epoch + 1, 0)
            }
            if wholePart.holder == nil { wholePart.expires = now + length }
            for shard in shards.indices
            where shards[shard].holder == relay && shards[shard].expires > 0 {
                shards[shard].expires = now + length
            }
            present[relay] = now + length
        }
        let own = shards.indices.filter { has(relay, $0, at: now) }
        return Answer(
            view: LeaseView(
                of: relay,
                among: Set(present.filter { $0.value > now }.keys),
                shards: shards.enumerated().map { number, shard in
                    (
                        ShardClaim(shard: number, epoch: shard.epoch),
                        shard.expires > now ? shard.holder : nil
                    )
                }
            ),
            generations: Dictionary(uniqueKeysWithValues: own.map { ($0, shards[$0].generation) }),
            wholePart: renews && wholePart.holder == nil ? wholePart.epoch : nil
        )
    }

    private func has(_ relay: Int, _ shard: Int, at now: Int) -> Bool {
        shards[shard].holder == relay && shards[shard].expires > now
    }

    /// `Statement.claim`: those that it got.
    ///
    /// - Parameter newEpoch: The next epoch of a shard.
    mutating func claim(
        _ claims: Set<Int>,
        by relay: Int,
        at now: Int,
        newEpoch: (Shard) -> Int64
    ) -> [Int: Shard] {
        var got: [Int: Shard] = [:]
        for shard in claims where shards[shard].expires <= now {
            shards[shard] = Shard(
                holder: relay,
                epoch: newEpoch(shards[shard]),
                expires: now + length,
                generation: shards[shard].generation + 1
            )
            got[shard] = shards[shard]
        }
        return got
    }

    /// `Statement.giveBack`.
    mutating func giveBack(_ claims: Set<ShardClaim>, by relay: Int) {
        for claim in claims
        where shards[claim.shard].holder == relay && shards[claim.shard].epoch == claim.epoch {
            shards[claim.shard].expires = 0
        }
    }

    /// `Statement.giveAllBack` and `.leaving`.
    mutating func leave(_ relay: Int) {
        for shard in shards.indices where shards[shard].holder == relay {
            shards[shard].expires = 0
        }
        present[relay] = nil
    }

    /// `Statement.fence`: the epochs of those of some shards that a relay has.
    func fence(_ shards: Set<Int>, _ relay: Int, wholePart epoch: Int64) -> [Int: Int64] {
        guard wholePart.holder == nil, wholePart.epoch == epoch else { return [:] }
        let own = shards.filter {
            self.shards[$0].holder == relay && self.shards[$0].expires > 0
        }
        return Dictionary(uniqueKeysWithValues: own.map { ($0, self.shards[$0].epoch) })
    }

    // MARK: A relay without shards

    /// Whether a relay without shards gets the whole part.
    mutating func takeWholePart(_ relay: Int, at now: Int) -> Bool {
        guard wholePart.expires <= now else { return false }
        wholePart = (relay, wholePart.epoch + 1, now + length)
        for shard in shards.indices { shards[shard].generation += 1 }
        return true
    }

    /// Whether a relay without shards has the whole part.
    func hasWholePart(_ relay: Int, at now: Int) -> Bool {
        wholePart.holder == relay && wholePart.expires > now
    }

    /// Whether any relay without shards has the whole part.
    func isWholePartTaken(at now: Int) -> Bool {
        wholePart.holder != nil && wholePart.expires > now
    }

    /// Gives the whole part back.
    mutating func giveWholePartBack(_ relay: Int) {
        if wholePart.holder == relay { wholePart.expires = 0 }
    }

    // MARK: Mails

    mutating func queue(_ mail: Int, in shard: Int, at now: Int) {
        queued[mail] = Mail(shard: shard, due: now)
    }

    /// The mails of some shards that are due, the first ones.
    func due(in shards: Set<Int>, at now: Int, limit: Int) -> [(number: Int, mail: Mail)] {
        let due = queued.filter { $0.value.due <= now && shards.contains($0.value.shard) }
        return due.keys.sorted().prefix(limit).map { ($0, due[$0]!) }
    }

    /// A relay hands a mail out.
    mutating func note(handingOut mail: Int, under generation: Int, by relay: Int) {
        guard let last = queued[mail]?.handedOut, last.generation <= generation else { return }
        queued[mail]?.handedOut = (generation, relay)
    }

    /// Records an outcome of a mail that is queued.
    ///
    /// - Parameter due: When it is attempted again; `nil` when it is done.
    mutating func record(_ mail: Int, by relay: Int, due: Int?) {
        queued[mail]?.outcomes.append(relay)
        if let due { queued[mail]?.due = due } else { queued[mail] = nil }
    }
}
