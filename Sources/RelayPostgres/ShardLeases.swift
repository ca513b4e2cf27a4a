import Dispatch
import Essentials
import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer
import Synchronization

/// The shards of a part of the queue that a relay hands over: a lease for each on the database's clock, with
/// an epoch that only grows. Performs what ``/RelayRules/LeaseMachine`` decides.
///
/// - Relays that hand mails over say so again and again, each sees which shards the others have, and claims
///   or gives back what ``/RelayRules/ShardShare`` says. A shard is given back when none of its mails is in
///   flight any more.
/// - A relay that is killed, or cannot reach the database, loses its shards when its leases are over; a relay
///   that ends gives them back.
/// - A relay that takes a shard makes its next epoch. Each mail is handed out under the epoch of its shard.
///   The transaction of an outcome holds the row of the shard, and records the outcome only under the same
///   epoch (``statement(of:)``): neither what another relay has handed out since is touched, nor what this
///   one handed out before it lost the shard and took it again.
/// - While a relay does not know that its leases last it hands nothing over.
/// - A relay of a build without shards hands over a whole part under the row of `relay_drain`. All relays
///   with shards hold that row together: while such a relay has it, they have no shards.
final class ShardLeases: DrainClaim {
    private let pool: Pool
    private let part: MailPart
    private let times: LeaseTimes
    private let holder: LeaseHolder
    private let claimed: @Sendable () -> Void
    private let machine: Mutex<LeaseMachine>
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
        machine = Mutex(LeaseMachine(times: times))
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

    /// Begins a look at the queue. It is to be ended, once.
    func beginLook() -> LeaseMachine.Look { machine.withLock { $0.beginLook(at: .now) } }

    /// Ends a look.
    ///
    /// - Parameters:
    ///   - look: The look.
    ///   - found: The shards of the mails that are handed out.
    ///   - inFlight: The mails that were in flight when the look began; `nil` for a look that failed.
    func end(
        _ look: LeaseMachine.Look,
        handingOut found: [OperationID: Int] = [:],
        inFlight: Set<OperationID>? = nil
    ) {
        machine.withLock { $0.end(look, handingOut: found, inFlight: inFlight) }
    }

    // MARK: Outcomes

    /// The claims under which the outcomes of mails are to be recorded.
    func fence(of mails: [OperationID]) -> LeaseMachine.Fence {
        machine.withLock { $0.fence(of: mails) }
    }

    /// The statement that finds the present claims of this relay, among those of a fence, and holds their
    /// rows.
    func statement(of fence: LeaseMachine.Fence) -> Statement {
        .fence(fence.shards, holder, part, wholePart: fence.wholePart)
    }

    /// The statement that finds the present claims of this relay, among those of some shards, and holds their
    /// rows.
    func statement(of shards: Set<Int>) -> Statement {
        .fence(shards, holder, part, wholePart: fence(of: []).wholePart)
    }

    /// Notes that the outcomes of mails are recorded, or are not to be because their claims are `lost`.
    func forget(_ mails: [OperationID], lost: Set<ShardClaim>) {
        machine.withLock { $0.forget(mails, lost: lost) }
    }

    // MARK: Claims

    /// Looks at the leases, outside of the timer's turns.
    ///
    /// - Parameter renewing: Whether the leases are renewed, also before it is time.
    func lookNow(renewing: Bool = false) throws {
        try queue.sync {
            if renewing { machine.withLock { $0.renewNext() } }
            try look()
        }
    }

    /// The shards that this relay has.
    var shards: Set<Int> { Set(machine.withLock { $0.epochs }.keys) }

    /// The shards that this relay has, and is about to give back.
    var returning: Set<Int> { machine.withLock { $0.returning } }

    /// Renews the leases when it is time, looks at those of all relays, and claims or gives back shards.
    private func look() throws {
        let question = machine.withLock { $0.question(at: .now) }
        let (view, wholePart) = try answer(to: question)
        let action = machine.withLock { $0.answered(question, view, wholePart: wholePart) }
        switch action {
        case .beginAgain(let returns):
            try move(returns, [])
            machine.withLock { $0.beganAgain(wholePart: wholePart) }
            if wholePart != nil { try look() }
        case .move(let returns, let claims): try move(returns, claims)
        }
    }

    private func answer(
        to question: LeaseMachine.Question
    ) throws -> (view: LeaseView, wholePart: Int64?) {
        try pool.attemptBlocking { [part, holder, times] connection in
            try connection.transaction(.readCommitted) { transaction in
                let renewal: [Statement] =
                    question.renews
                    ? [
                        .holdWholePart(part, for: times.length),
                        .renewal(holder, for: times.length),
                        .presence(holder, part, for: times.length),
                    ] : []
                let rows = try transaction.run(renewal + [.shards(of: part), .holders(of: part)])
                let shards = rows[renewal.count].map {
                    row -> (claim: ShardClaim, holder: LeaseHolder?) in
                    let claim = ShardClaim(shard: row.count(0), epoch: row.integer(1))
                    return (claim, row.optionalBytes(2).map(LeaseHolder.init))
                }
                let relays = Set(rows[renewal.count + 1].map { LeaseHolder($0.bytes(0)) })
                let view = LeaseView(of: holder, among: relays, shards: shards)
                return (view, question.renews ? rows[0].first?.integer(0) : nil)
            }
        }
    }

    private func move(_ returns: Set<ShardClaim>, _ claims: Set<Int>) throws {
        guard !returns.isEmpty || !claims.isEmpty else { return }
        let epochs = try pool.attemptBlocking { [holder, times] connection -> [Int: Int64] in
            if !returns.isEmpty { _ = try connection.run(.giveBack(returns, holder)) }
            guard !claims.isEmpty else { return [:] }
            return try connection.run(.claim(claims, holder, for: times.length)).epochs
        }
        guard !epochs.isEmpty else { return }
        machine.withLock { $0.claimed(epochs) }
        claimed()
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
