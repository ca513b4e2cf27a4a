import Dispatch
import Essentials
import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer
import Synchronization

/// The shards of a part of the queue that a relay hands over: a lease for each on the database's clock, with
/// an epoch that only grows.
///
/// - Relays that hand mails over say so again and again, each sees which shards the others have, and claims
///   or gives back what ``/RelayRules/ShardShare`` says. A shard is given back when none of its mails is in
///   flight any more.
/// - A relay that is killed, or cannot reach the database, loses its shards when its leases are over; a relay
///   that ends gives them back.
/// - A relay that takes a shard makes its next epoch. Each mail is handed out under the epoch of its shard.
///   The transaction of an outcome holds the row of the shard, and records the outcome only under the same
///   epoch (``fence(of:)``): neither what another relay has handed out since is touched, nor what this one
///   handed out before it lost the shard and took it again.
/// - While a relay does not know that its leases last it hands nothing over.
/// - A relay of a build without shards hands over a whole part under the row of `relay_drain`. All relays
///   with shards hold that row together: while such a relay has it, they have no shards.
final class ShardLeases: DrainClaim {
    /// A shard, and the epoch under which this relay has it.
    struct Claim: Hashable, Sendable {
        let shard: Int
        let epoch: Int64
    }

    /// A look at the queue that is under way, and the shards of which it hands mails out.
    struct Look: Sendable {
        fileprivate let number: Int
        let epochs: [Int: Int64]
    }

    private struct State: Sendable {
        /// The shards that this relay has.
        var epochs: [Int: Int64] = [:]
        /// Those of them of which no mail is handed out any more.
        var returning: Set<Int> = []
        /// The time up to which no other relay takes any of them.
        var end: ContinuousClock.Instant?
        var nextRenewal: ContinuousClock.Instant?
        /// The epoch of the row of the whole part.
        var wholePart: Int64?
        /// The mails that were handed out, each under its claim, as far as they may be in flight.
        var handedOut: [OperationID: Claim] = [:]
        var looks: [Int: Set<Int>] = [:]
        var latestLook = 0
    }

    private let pool: Pool
    private let part: MailPart
    private let times: LeaseTimes
    private let holder: LeaseHolder
    private let claimed: @Sendable () -> Void
    private let state = Mutex(State())
    /// Where this relay looks at the leases.
    private let queue: DispatchQueue
    /// Any thread may call it.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    /// Where leases are given back, before others are claimed.
    private let returns: DispatchQueue

    /// Begins to have a share of a part's shards. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - returns: A serial queue on which this process gives leases back.
    ///   - claimed: Called when this relay has got shards.
    /// - Throws: The reason why the database cannot be used.
    init(
        of part: MailPart,
        pool: Pool,
        times: LeaseTimes,
        returns: DispatchQueue,
        claimed: @escaping @Sendable () -> Void
    ) throws {
        returns.sync {}
        self.pool = pool
        self.part = part
        self.times = times
        self.returns = returns
        self.claimed = claimed
        holder = LeaseHolder()
        queue = DispatchQueue(label: "relay-leases")
        timer = DispatchSource.makeTimerSource(queue: queue)
        do {
            try look()
        } catch {
            // A timer that has never run cannot be released.
            timer.resume()
            throw error
        }
        let pause = DispatchTimeInterval.milliseconds(Int(times.pause.count))
        timer.schedule(deadline: .now() + pause, repeating: pause)
        // Leases end by themselves unless a later look comes in time.
        timer.setEventHandler { [weak self] in try? self?.look() }
        timer.resume()
    }

    deinit {
        timer.cancel()
        let (pool, statements) = (pool, [Statement.giveAllBack(holder), .leaving(holder)])
        // Leases that cannot be given back are over soon.
        returns.async {
            try? pool.runBlocking { connection in
                for statement in statements { _ = try connection.run(statement) }
            }
        }
    }

    // MARK: Handing out

    /// Begins a look at the queue. It is to be ended.
    func beginLook() -> Look {
        state.withLock { state in
            state.latestLook += 1
            let isHeld = state.end.map { $0 > .now } ?? false
            let epochs = isHeld ? state.epochs.filter { !state.returning.contains($0.key) } : [:]
            state.looks[state.latestLook] = Set(epochs.keys)
            return Look(number: state.latestLook, epochs: epochs)
        }
    }

    /// Ends a look.
    ///
    /// - Parameters:
    ///   - look: The look.
    ///   - found: The shards of the mails that are handed out. A mail in flight stays one of the claim under
    ///     which it was handed out.
    ///   - inFlight: The mails that were in flight when the look began; `nil` for a look that failed.
    func end(
        _ look: Look,
        handingOut found: [OperationID: Int] = [:],
        inFlight: Set<OperationID>? = nil
    ) {
        state.withLock { state in
            state.looks[look.number] = nil
            if let inFlight {
                // What an earlier look has found, and nobody has attempted since, is not in flight.
                state.handedOut = state.handedOut.filter { inFlight.contains($0.key) }
            }
            for (mail, shard) in found where inFlight?.contains(mail) != true {
                state.handedOut[mail] = look.epochs[shard].map { Claim(shard: shard, epoch: $0) }
            }
        }
    }

    // MARK: Outcomes

    /// The claims under which mails were handed out.
    func claims(of mails: [OperationID]) -> [OperationID: Claim] {
        state.withLock { state in
            Dictionary(
                mails.compactMap { mail in state.handedOut[mail].map { (mail, $0) } },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }

    /// The statement that finds the present claims of this relay, among those of some shards, and holds
    /// their rows.
    func fence(of shards: Set<Int>) -> Statement {
        .fence(shards, holder, part, wholePart: state.withLock { $0.wholePart } ?? 0)
    }

    /// Notes that the outcomes of mails are recorded, or are not to be because their claims are `lost`.
    func forget(_ mails: [OperationID], lost: Set<Claim>) {
        state.withLock { state in
            for mail in mails { state.handedOut[mail] = nil }
            for claim in lost where state.epochs[claim.shard] == claim.epoch {
                state.epochs[claim.shard] = nil
            }
        }
    }

    // MARK: Claims

    /// Looks at the leases, outside of the timer's turns.
    ///
    /// - Parameter renewing: Whether the leases are renewed, also before it is time.
    func lookNow(renewing: Bool = false) throws {
        try queue.sync {
            if renewing { state.withLock { $0.nextRenewal = nil } }
            try look()
        }
    }

    /// The shards that this relay has.
    var shards: Set<Int> { Set(state.withLock { $0.epochs }.keys) }

    /// The shards that this relay has, and is about to give back.
    var returning: Set<Int> { state.withLock { $0.returning.intersection($0.epochs.keys) } }

    /// Renews the leases when it is time, looks at those of all relays, and claims or gives back shards.
    private func look() throws {
        let now = ContinuousClock.now
        let known = state.withLock { state in
            (wholePart: state.wholePart, renews: state.nextRenewal.map { $0 <= now } ?? true)
        }
        let view = try pool.attemptBlocking { [part, holder, times] connection in
            try connection.transaction(.readCommitted) { transaction in
                let renewal: [Statement] =
                    known.renews
                    ? [
                        .holdWholePart(part, for: times.length),
                        .renewal(holder, for: times.length),
                        .presence(holder, part, for: times.length),
                    ] : []
                let rows = try transaction.run(renewal + [.shards(of: part), .holders(of: part)])
                return View(
                    wholePart: known.renews ? rows[0].first?.integer(0) : known.wholePart,
                    shards: rows[renewal.count],
                    relays: rows[renewal.count + 1]
                )
            }
        }
        guard view.wholePart == known.wholePart, view.wholePart != nil else {
            return try beginAgain(view.wholePart)
        }
        let end = now + .milliseconds(times.length.count - times.margin.count)
        state.withLock { state in
            state.epochs = view.epochs(of: holder)
            guard known.renews else { return }
            state.end = end
            state.nextRenewal = now + .milliseconds(times.renewal.count)
        }
        try act(ShardShare(of: holder, among: view.relays, holders: view.holders))
    }

    /// Gives up all claims: a relay without shards has the whole part, or had it meanwhile.
    private func beginAgain(_ wholePart: Int64?) throws {
        state.withLock { state in
            state.epochs = [:]
            state.end = nil
        }
        try pool.attemptBlocking { [holder] in _ = try $0.run(.giveAllBack(holder)) }
        state.withLock { $0.wholePart = wholePart }
        if wholePart != nil { try look() }
    }

    private func act(_ share: ShardShare) throws {
        let first = part.shards.lowerBound
        let idle = state.withLock { state in
            state.returning = Set(share.returns.map { first + $0 })
            let busy = Set(state.handedOut.values.map(\.shard)).union(state.looks.values.joined())
            let idle = state.returning.subtracting(busy)
            for shard in idle { state.epochs[shard] = nil }
            return idle
        }
        let claims = Set(share.claims.map { first + $0 })
        guard !idle.isEmpty || !claims.isEmpty else { return }
        let epochs = try pool.attemptBlocking { [holder, times] connection -> [Int: Int64] in
            if !idle.isEmpty { _ = try connection.run(.giveBack(idle, holder)) }
            guard !claims.isEmpty else { return [:] }
            return try connection.run(.claim(claims, holder, for: times.length)).epochs
        }
        guard !epochs.isEmpty else { return }
        state.withLock { $0.epochs.merge(epochs) { _, new in new } }
        claimed()
    }

    /// What the database says of the leases of a part.
    private struct View: Sendable {
        /// `nil` while a relay without shards has the whole part.
        let wholePart: Int64?
        let relays: Set<LeaseHolder>
        private let rows: [(claim: Claim, holder: LeaseHolder?)]

        init(wholePart: Int64?, shards: Rows, relays: Rows) {
            self.wholePart = wholePart
            rows = shards.map { row in
                let claim = Claim(shard: row.count(0), epoch: row.integer(1))
                return (claim, row.optionalBytes(2).map(LeaseHolder.init))
            }
            self.relays = Set(relays.map { LeaseHolder($0.bytes(0)) })
        }

        var holders: [LeaseHolder?] { rows.map(\.holder) }

        func epochs(of holder: LeaseHolder) -> [Int: Int64] {
            let own = rows.filter { $0.holder == holder }.map { ($0.claim.shard, $0.claim.epoch) }
            return Dictionary(own, uniquingKeysWith: max)
        }
    }
}

/// The random name under which a relay has leases of a part.
struct LeaseHolder: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    /// The machine and the process, for the operator.
    static var processName: String {
        let process = ProcessInfo.processInfo
        return "\(process.hostName):\(process.processIdentifier)"
    }

    init() { bytes = .random(count: 16) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func < (one: Self, other: Self) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

extension Rows {
    /// The shard and the epoch of each row.
    var epochs: [Int: Int64] {
        Dictionary(map { ($0.count(0), $0.integer(1)) }, uniquingKeysWith: max)
    }
}
