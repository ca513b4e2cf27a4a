import OutboxCore

/// The shards of the queue of memos' mails. All mails of an account are in one.
package enum MailShard {
    /// The number of shards. It is stored with each mail, and never changes.
    package static let count = 64

    /// The shard of an account's mails. The last bits of its identifier are random.
    package static func shard(of account: AccountID) -> Int {
        Int(account.bits.low % UInt64(count))
    }
}

/// What a relay does now to have its share of the shards of a queue: a pure decision over what the relay
/// has read of the others.
///
/// 1. Each relay may have as many shards as each other, and one more as long as some are left over; who has
///    these is decided by the order of the relays' names.
/// 2. A relay that has fewer claims free ones, and never one that another relay holds.
/// 3. A relay that has more gives the surplus back.
///
/// Relays that decide so again and again, each by what it has read last, end with even shares, however they
/// come and go, and then nothing moves any more.
package struct ShardShare: Hashable, Sendable {
    /// Free shards to claim, those first that no other relay begins with.
    package let claims: [Int]
    /// Own shards to give back.
    package let returns: [Int]

    /// - Parameters:
    ///   - relay: The name of the relay that decides.
    ///   - relays: The names of all relays that hand mails over now. The relay itself is one of them in
    ///     any case.
    ///   - holders: The holder of each shard; `nil` for a free one.
    package init<Name: Hashable & Comparable>(
        of relay: Name,
        among relays: Set<Name>,
        holders: [Name?]
    ) {
        let all = relays.union([relay])
        let rank = all.count { $0 < relay }
        let (even, over) = holders.count.quotientAndRemainder(dividingBy: all.count)
        let share = even + (rank < over ? 1 : 0)
        let start = rank * holders.count / all.count
        let order = Array(start..<holders.count) + Array(0..<start)
        let own = order.filter { holders[$0] == relay }
        let free = order.filter { holders[$0] == nil }
        claims = Array(free.prefix(max(share - own.count, 0)))
        returns = Array(own.dropFirst(share))
    }
}
