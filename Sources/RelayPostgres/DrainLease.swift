import Dispatch
import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer
import Synchronization

/// The role of the one relay that hands over the mails of a part of the queue: a lease on the database's
/// clock, with an epoch that only grows.
///
/// - The lease is ``length`` long, and renewed all the time. A relay that is killed, or cannot reach the
///   database, loses it when it is over; a relay that ends gives it back.
/// - Another relay that takes the lease makes the next epoch. What a relay hands over under an earlier epoch
///   is not recorded any more: the transaction of an outcome holds the row of the lease, and finds another
///   epoch (``fence``).
/// - While a relay does not know that it has the lease it hands nothing over, and goes on when it has it
///   again.
final class DrainLease: DrainClaim {
    /// The length of the lease from each renewal.
    static let length = Milliseconds.seconds(15)
    /// The time between two renewals.
    static let pause = Milliseconds.seconds(4)
    /// The part of the length that a relay leaves unused, for what its clock and the server's differ in.
    private static let margin = Milliseconds.seconds(3)

    private struct State: Sendable {
        var epoch: Int64
        /// The time up to which no other relay takes the lease.
        var end: ContinuousClock.Instant
        /// The mails that were handed out under ``epoch``.
        var handedOut: Set<EntryID> = []
        /// The mails that were handed out under an earlier epoch, whose outcomes are not recorded.
        var lost: Set<EntryID> = []
    }

    private let pool: Pool
    private let part: MailPart
    private let holder: [UInt8]
    private let state: Mutex<State>
    /// Any thread may call it.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    /// Where leases are given back, before others are claimed.
    private let returns: DispatchQueue

    /// Claims the lease of a part. Blocks the calling thread.
    ///
    /// - Parameter returns: A serial queue on which this process gives leases back.
    /// - Returns: `nil` while another holder has the lease.
    init?(of part: MailPart, pool: Pool, returns: DispatchQueue) throws {
        returns.sync {}
        let holder = [UInt8].random(count: 16)
        let end = Self.endOfNew
        guard let epoch = try Self.claim(part, holder, pool) else { return nil }
        self.pool = pool
        self.part = part
        self.holder = holder
        self.returns = returns
        state = Mutex(State(epoch: epoch, end: end))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "relay-lease"))
        let pause = DispatchTimeInterval.milliseconds(Int(Self.pause.count))
        timer.schedule(deadline: .now() + pause, repeating: pause)
        timer.setEventHandler { [weak self] in self?.renew() }
        timer.resume()
    }

    deinit {
        timer.cancel()
        let (pool, give) = (pool, Statement.giveBack(part, holder))
        // A lease that cannot be given back is over soon.
        returns.async { _ = try? pool.runBlocking { try $0.run(give).changed } }
    }

    private static var endOfNew: ContinuousClock.Instant {
        .now + .milliseconds(length.count - margin.count)
    }

    /// Whether the lease is certainly held for now.
    var isHeld: Bool { state.withLock { $0.end > .now } }

    /// Notes mails that are handed out now.
    func handOut(_ entries: [EntryID]) {
        state.withLock { state in
            state.handedOut.formUnion(entries)
            state.lost.subtract(entries)
        }
    }

    /// The settlements of mails that were handed out under the present epoch, and the others.
    func divide(
        _ settlements: [Settlement]
    ) -> (own: [Settlement], others: [Settlement]) {
        state.withLock { state in
            let others = settlements.filter { state.lost.contains($0.entry) }
            let own = settlements.filter { !state.lost.contains($0.entry) }
            return (own, others)
        }
    }

    /// Notes that the outcomes of mails are recorded, or are not to be.
    func forget(_ settlements: [Settlement]) {
        state.withLock { state in
            for settlement in settlements {
                state.handedOut.remove(settlement.entry)
                state.lost.remove(settlement.entry)
            }
        }
    }

    /// The statement that finds a row, and holds it, while the lease is this relay's under the present
    /// epoch.
    var fence: Statement {
        .fence(part, holder, epoch: state.withLock { $0.epoch })
    }

    /// Renews the lease, or claims it again when another relay had it, or cannot: then it ends.
    private func renew() {
        let end = Self.endOfNew
        let epoch = state.withLock { $0.epoch }
        do {
            let isRenewed = try pool.runBlocking { [part, holder] connection in
                try connection.run(.renewal(part, holder, epoch: epoch)).changed > 0
            }
            if isRenewed { return state.withLock { $0.end = end } }
            lose()
            guard let next = try Self.claim(part, holder, pool) else { return }
            state.withLock { state in
                state.epoch = next
                state.end = end
            }
        } catch {
            // The lease ends by itself unless a later try comes in time.
        }
    }

    /// Notes that another relay has the lease, or had it.
    func lose() {
        state.withLock { state in
            state.end = .now
            state.lost.formUnion(state.handedOut)
            state.handedOut = []
        }
    }

    private static func claim(
        _ part: MailPart,
        _ holder: [UInt8],
        _ pool: Pool
    ) throws -> Int64? {
        try pool.runBlocking { connection in
            try connection.run(.claim(part, holder)).first?.integer(0)
        }
    }
}

extension MailPart {
    /// The number in the table of leases.
    fileprivate var number: Statement.Value {
        switch self {
        case .codes: .integer(0)
        case .memos: .integer(1)
        }
    }
}

extension Statement {
    private static var length: Value { .integer(DrainLease.length.count) }

    /// Takes a lease that nobody has, and returns its epoch.
    fileprivate static func claim(_ part: MailPart, _ holder: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO relay_drain(part, holder, epoch, expires)
            VALUES ($1, $2, 1, CAST(extract(epoch FROM now()) * 1000 AS bigint) + $3)
            ON CONFLICT (part) DO UPDATE SET holder = excluded.holder,
                epoch = relay_drain.epoch + 1, expires = excluded.expires
            WHERE relay_drain.expires <= CAST(extract(epoch FROM now()) * 1000 AS bigint)
            RETURNING epoch
            """,
            [part.number, .bytes(holder), length]
        )
    }

    /// Lengthens a lease, also one that is over, unless another relay has taken it.
    fileprivate static func renewal(
        _ part: MailPart,
        _ holder: [UInt8],
        epoch: Int64
    ) -> Statement {
        Statement(
            """
            UPDATE relay_drain
            SET expires = CAST(extract(epoch FROM now()) * 1000 AS bigint) + $4
            WHERE part = $1 AND holder = $2 AND epoch = $3
            """,
            [part.number, .bytes(holder), .integer(epoch), length]
        )
    }

    fileprivate static func giveBack(_ part: MailPart, _ holder: [UInt8]) -> Statement {
        Statement(
            "UPDATE relay_drain SET expires = 0 WHERE part = $1 AND holder = $2",
            [part.number, .bytes(holder)]
        )
    }

    fileprivate static func fence(
        _ part: MailPart,
        _ holder: [UInt8],
        epoch: Int64
    ) -> Statement {
        Statement(
            """
            SELECT epoch FROM relay_drain WHERE part = $1 AND holder = $2 AND epoch = $3
            FOR UPDATE
            """,
            [part.number, .bytes(holder), .integer(epoch)]
        )
    }
}
