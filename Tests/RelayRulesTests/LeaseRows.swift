import OutboxCore

@testable import RelayRules

/// The row of a shard and those of its mails, changed as the statements of `RelayPostgres` change them.
struct LeaseRows: Hashable {
    enum Holder: Hashable {
        /// The shard was given back.
        case nobody
        case relay(Int)
        /// A relay that was killed. Its name never comes again.
        case killed
    }

    /// The length of a lease, in ticks of the database's clock.
    static let length = 2

    private(set) var holder = Holder.nobody
    private(set) var epoch: Int64 = 0
    /// The ticks until the lease is over.
    private(set) var left = 0
    /// The mails that are queued.
    private(set) var queued: Set<Int>
    /// A relay's statement that gives the shard back. Its connection is lost, and the server performs it
    /// later.
    var lateReturn: LateReturn?

    struct LateReturn: Hashable {
        let relay: Int
        let claims: Set<ShardClaim>
    }

    /// The faults and pauses that may come.
    private(set) var faults: Int
    private(set) var pauses: Int

    init(_ rules: LeaseRules) {
        queued = Set(0..<rules.mails)
        faults = rules.faults
        pauses = rules.pauses
    }

    /// A tick passes.
    ///
    /// - Parameter isPause: Whether a relay stands still that has something to do about its leases.
    mutating func passTime(isPause: Bool) {
        left = max(left - 1, 0)
        if isPause { pauses -= 1 }
    }

    mutating func countFault() { faults -= 1 }

    /// `Statement.shards`.
    ///
    /// - Parameter ahead: The ticks by which the clock that the statement uses is ahead of the database's.
    func isFree(ahead: Int) -> Bool { left <= ahead }

    /// `Statement.renewal`.
    mutating func renew(by relay: Int, ahead: Int) {
        if holder == .relay(relay) { left = Self.length + ahead }
    }

    /// `Statement.claim`, of a free shard.
    mutating func claim(by relay: Int, under epoch: Int64, ahead: Int) {
        holder = .relay(relay)
        self.epoch = epoch
        left = Self.length + ahead
    }

    /// `Statement.giveBack`.
    mutating func giveBack(_ claims: Set<ShardClaim>, by relay: Int) {
        guard claims.contains(ShardClaim(shard: 0, epoch: epoch)) else { return }
        giveAllBack(by: relay)
    }

    /// `Statement.giveAllBack`.
    mutating func giveAllBack(by relay: Int) {
        guard holder == .relay(relay) else { return }
        holder = .nobody
        left = 0
    }

    /// `Statement.fence`: the epochs of a relay's shards.
    func fence(_ relay: Int) -> [Int: Int64] { holder == .relay(relay) ? [0: epoch] : [:] }

    mutating func record(_ mail: Int, isDone: Bool) {
        if isDone { queued.remove(mail) }
    }

    /// A relay is killed.
    mutating func end(_ relay: Int) {
        if lateReturn?.relay == relay { lateReturn = nil }
        if holder == .relay(relay) { holder = .killed }
    }
}
