/// The beginning of the due mails of some shards, of each of which the first ones were read.
///
/// A mail of a shard that may have more than was read is followed, in the order of all, by none that was
/// not read, up to the last one that was read of that shard.
package struct WholePage: Sendable {
    /// The mails in their order.
    package let mails: [FairChoice.Mail]
    /// Whether more mails may follow.
    package let hasMore: Bool

    /// - Parameters:
    ///   - mails: The first mails of each shard, in the order of all.
    ///   - perShard: The greatest number of mails that were read of each.
    package init(_ mails: [(mail: FairChoice.Mail, shard: Int)], perShard: Int) {
        var counts: [Int: Int] = [:]
        let end = mails.firstIndex { mail in
            counts[mail.shard, default: 0] += 1
            return counts[mail.shard] == perShard
        }
        self.mails = mails.prefix(end.map { $0 + 1 } ?? mails.count).map(\.mail)
        hasMore = end != nil
    }
}
