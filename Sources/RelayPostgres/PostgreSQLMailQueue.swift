import Dispatch
import LibC
import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer
import Synchronization

/// The mail queue in PostgreSQL.
///
/// Its methods block the calling thread, as those of every storage. No mail is in a lane: an operation with
/// an ordering key is refused.
final class PostgreSQLMailQueue: MailQueue {
    /// The number of waits that one transaction ends.
    private static let step = 512

    private let pool: Pool
    private let turns: RelayTurns
    private let clock: OutboxClock
    private let leaseTimes: LeaseTimes
    private let claims = Mutex(Claims())
    /// Of the memos that this process hands over.
    private let cursor = Mutex(QueueCursor())
    private let paces = SearchPaces()
    private let returns = DispatchQueue(label: "relay-lease-returns")

    private struct Claims: Sendable {
        /// The leases that this process has or had.
        var leases: [MailPart: WeakLeases] = [:]
        /// Called when a drain has got mails to look at.
        var claimed: @Sendable () -> Void = {}
    }

    private struct WeakLeases: Sendable {
        weak var leases: ShardLeases?
    }

    init(pool: Pool, turns: RelayTurns, clock: OutboxClock, leaseTimes: LeaseTimes = LeaseTimes()) {
        self.pool = pool
        self.turns = turns
        self.clock = clock
        self.leaseTimes = leaseTimes
    }

    // MARK: Look-ups

    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try translating {
            try pool.attemptBlocking { connection in
                let rows = try connection.snapshot([
                    Statement(
                        """
                        SELECT entry, id, state, quarantine, envelope, record FROM outbox_operation
                        WHERE state = 0 AND due <= $1 ORDER BY due, id LIMIT $2
                        """,
                        [.time(now), .count(limit)]
                    ),
                    Statement(
                        """
                        SELECT due FROM outbox_operation
                        WHERE state = 0 AND due > $1 ORDER BY due LIMIT 1
                        """,
                        [.time(now)]
                    ),
                ])
                let entries = try rows[0].map(StoredEntry.init(row:))
                return EligibleRecords(
                    entries: entries,
                    nextEligibleAt: entries.count < limit ? rows[1].first?.time(0) : nil
                )
            }
        }
    }

    func eligible(
        in part: MailPart,
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>
    ) throws -> EligibleRecords {
        // Without a drain, all mails are told.
        guard let leases = leases(of: part) else {
            let search = ShardSearch(of: part, shards: Set(part.shards), limit: limit)
            return try mails(of: search, SearchPace(), now, limit, operations).records
        }
        let look = leases.beginLook()
        guard !look.epochs.isEmpty else {
            leases.end(look, inFlight: operations)
            // Shards are claimed meanwhile.
            let later = now.advanced(by: leaseTimes.pause)
            return EligibleRecords(entries: [], nextEligibleAt: later)
        }
        do {
            let shards = Set(look.epochs.keys)
            let found = try mails(
                of: ShardSearch(of: part, shards: shards, limit: limit, from: starts(part, shards)),
                paces[part],
                now,
                limit,
                operations
            )
            paces[part] = found.pace
            if part == .memos {
                cursor.withLock { for (age, first) in found.firsts { $0.found(first, age) } }
            }
            let mails = found.records.entries.compactMap { entry in
                entry.operationID.flatMap { id in found.shards[entry.id].map { (id, $0) } }
            }
            leases.end(
                look,
                handingOut: Dictionary(mails, uniquingKeysWith: { first, _ in first }),
                inFlight: operations
            )
            return found.records
        } catch {
            leases.end(look)
            throw error
        }
    }

    private func starts(
        _ part: MailPart,
        _ shards: Set<Int>
    ) -> [FairChoice.Age: FairChoice.Position] {
        guard part == .memos else { return [:] }
        return cursor.withLock { $0.begin(shards, now: clock.monotonic()) }
    }

    /// Notes memos' mails that this process has queued, or has made due.
    func heard(_ writes: [RelayWrite]) {
        cursor.withLock { cursor in
            for write in writes {
                switch write {
                case .queue(let mail) where MailPart.memos.contains(mail.envelope.id):
                    cursor.queued(mail.envelope.id)
                case .requeue: cursor.reset()
                default: break
                }
            }
        }
    }

    /// What a search has found.
    private struct Found: Sendable {
        let records: EligibleRecords
        let shards: [EntryID: Int]
        /// The first mail of each age.
        let firsts: [FairChoice.Age: FairChoice.Position]
        /// The pace after the search.
        let pace: SearchPace
    }

    private func mails(
        of search: ShardSearch,
        _ pace: SearchPace,
        _ now: WallTime,
        _ limit: Int,
        _ operations: Set<OperationID>
    ) throws -> Found {
        try translating {
            try pool.attemptBlocking { [clock] connection in
                var (search, pace) = (search, pace)
                let choice = try pace.choose(
                    limit: limit,
                    inFlight: operations,
                    now: clock.monotonic
                ) { page in
                    let rows = try connection.run(search.statement(for: page, at: now))
                    let found = search.take(rows, of: page)
                    return (found.mails, found.isLast)
                }
                let known = choice.mails.map { $0.withoutRecord(ifAmong: operations) }
                let read = zip(choice.mails, known).filter { $0.1 == nil }.map { $0.0.entry }
                let rows = try connection.snapshot(
                    read.map { .entry($0) } + [search.nextDue(after: now)]
                )
                var others = rows.dropLast().makeIterator()
                let entries = try known.compactMap { entry in
                    try entry ?? others.next()?.first.map(StoredEntry.init(row:))
                }
                let times = [
                    rows.last?.first?.optionalTime(0), choice.wait.map { now.advanced(by: $0) },
                ]
                let records = EligibleRecords(
                    entries: entries,
                    nextEligibleAt: choice.mails.count < limit
                        ? times.compactMap(\.self).min() : nil
                )
                return Found(
                    records: records,
                    shards: search.shards,
                    firsts: search.firsts,
                    pace: pace
                )
            }
        }
    }

    func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try read(
            Statement(
                """
                SELECT entry, id, state, quarantine, envelope, record FROM outbox_operation
                WHERE state = $1 AND entry > $2 ORDER BY entry LIMIT $3
                """,
                [
                    .integer(Int64(state.rawValue)), .integer(last?.rawValue ?? 0), .count(limit),
                ]
            ),
            StoredEntry.init(row:)
        )
    }

    func envelopes(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEnvelope] {
        try read(
            Statement(
                """
                SELECT entry, envelope FROM outbox_operation
                WHERE state = $1 AND entry > $2 ORDER BY entry LIMIT $3
                """,
                [
                    .integer(Int64(state.rawValue)), .integer(last?.rawValue ?? 0), .count(limit),
                ]
            )
        ) { StoredEnvelope(entry: $0.entry(0), bytes: $0.bytes(1)) }
    }

    func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try read(
            Statement(
                """
                SELECT entry, id, state, quarantine, envelope, record FROM outbox_operation
                WHERE state = 0 AND wait <> 0 AND wait = $1 AND due > $2
                ORDER BY due DESC, id DESC LIMIT $3
                """,
                [.integer(Int64(cause.rawValue)), .time(moment), .count(limit)]
            ),
            StoredEntry.init(row:)
        )
    }

    func entry(for id: OperationID) throws -> StoredEntry? {
        try read(
            Statement(
                """
                SELECT entry, id, state, quarantine, envelope, record FROM outbox_operation
                WHERE id = $1
                """,
                [.id(id)]
            ),
            StoredEntry.init(row:)
        ).first
    }

    func counts() throws -> OutboxCounts {
        let counts = try read(
            Statement("SELECT state, count(*) FROM outbox_operation GROUP BY state")
        ) { ($0.integer(0), $0.count(1)) }
        return counts.reduce(into: OutboxCounts()) { sum, row in
            switch OperationState(row: row.0) {
            case .queued: sum.queued += row.1
            case .parked: sum.parked += row.1
            case .quarantined: sum.quarantined += row.1
            }
        }
    }

    /// Damage shows in single entries, or fails the look-ups.
    func damage(checkingUpTo limit: Int) throws -> [StorageDamage] {
        _ = try read(Statement("SELECT 1")) { _ in true }
        return []
    }

    // MARK: Changes

    func insert(_ operations: [SealedOperation]) throws {
        guard operations.allSatisfy({ $0.envelope.orderingKey == nil }) else {
            throw StorageError.failed(code: EINVAL)
        }
        guard !operations.isEmpty else { return }
        let rows = operations.map { QueuedRow(mail: $0, account: nil) }
        try write { try $0.write([.insertion(of: rows)]) }
    }

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        guard let first = settlements.first else { return [] }
        let now = clock.wallTime()
        guard let leases = leases(of: MailPart.codes.contains(first.id) ? .codes : .memos) else {
            return try write { try Self.settle(settlements, at: now, in: $0) }
        }
        let fence = leases.fence(of: settlements.map(\.id))
        let statement = leases.statement(of: fence)
        let (unsettled, lost) = try write { turn in
            let held = try turn.run([statement])[0].epochs
            let own = settlements.filter { fence.isOwn($0.id, under: held) }
            let others = settlements.filter { !fence.isOwn($0.id, under: held) }
            let unsettled = try Self.settle(own, at: now, in: turn)
            return (
                unsettled + others.map { Unsettled($0.entry, .anothers) },
                fence.claims(of: others.map(\.id))
            )
        }
        leases.forget(settlements.map(\.id), lost: lost)
        return unsettled
    }

    private static func settle(
        _ settlements: [Settlement],
        at now: WallTime,
        in turn: Turn
    ) throws -> [Unsettled] {
        guard !settlements.isEmpty else { return [] }
        let fates = settlements.compactMap { settlement in
            MemoFate(settlement.transition).map { (fate: $0, mail: settlement.id) }
        }
        let alike = Dictionary(grouping: settlements) { QueueChange($0.transition) }
        if !fates.isEmpty { try turn.write(Statement.record(fates, at: now)) }
        let rows = try turn.change(alike.map { .settling($0.value, as: $0.key) })
        try turn.write(
            alike.flatMap { change, settlements in
                let mails = settlements.map(\.entry)
                return switch change {
                case .removal: [Statement.dropHold(of: mails)]
                case .envelope(.queued): [Statement.keepHold(of: mails)]
                case .envelope: Statement.noteDeath(of: mails)
                }
            }
        )
        let settled = Set(rows.flatMap { $0.map { $0.entry(0) } })
        return settlements.filter { !settled.contains($0.entry) }.map { Unsettled($0.entry, .gone) }
    }

    func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        let quarantine = Statement(
            """
            UPDATE outbox_operation
            SET state = 2, quarantine = $2, envelope = coalesce($3, envelope) WHERE entry = $1
            """,
            [
                .entry(id), .text(reason.rawValue),
                envelope.map { .bytes($0.encoded()) } ?? .null,
            ]
        )
        let now = clock.wallTime()
        try write { turn in
            guard try self.mayQuarantine(id, in: turn) else { return }
            try turn.write(
                [quarantine] + Statement.refuseQuarantined(id, at: now)
                    + Statement.noteDeath(of: [id])
            )
        }
    }

    /// Whether no relay but this one hands an entry out. A relay that has lost the entry's shard may hold
    /// another key than the one that has it now.
    private func mayQuarantine(_ id: EntryID, in turn: Turn) throws -> Bool {
        let entry = try turn.run([
            Statement("SELECT shard FROM outbox_operation WHERE entry = $1", [.entry(id)])
        ])[0].first
        guard let shard = entry?.count(0) else { return false }
        let part: MailPart = MailPart.codes.shards.contains(shard) ? .codes : .memos
        guard let leases = leases(of: part) else { return true }
        return try turn.run([leases.statement(of: [shard])])[0].count > 0
    }

    func requeue(_ id: EntryID, as envelope: Envelope) throws {
        defer { cursor.withLock { $0.reset() } }
        try write { try $0.write([.requeueing(of: id, as: envelope)]) }
    }

    func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try write { turn in
            try turn.change([
                Statement(
                    "UPDATE outbox_operation SET record = $3 WHERE entry = $1 AND record = $2",
                    [.entry(id), .bytes(old), .bytes(new)]
                )
            ])[0].changed > 0
        }
    }

    /// Ends the waits in transactions of some waits each, the longest first.
    func endWaits(for cause: WaitCause) throws {
        defer { cursor.withLock { $0.reset() } }
        var last: FairChoice.Position?
        repeat {
            let position = last
            last = try write { try Self.endWaits(for: cause, after: position, in: $0) }
        } while last != nil
    }

    /// - Returns: The last wait that was looked at; `nil` when none is left.
    private static func endWaits(
        for cause: WaitCause,
        after last: FairChoice.Position?,
        in turn: Turn
    ) throws -> FairChoice.Position? {
        let last = last ?? FairChoice.Position(due: .max, id: [UInt8](repeating: 0xFF, count: 17))
        let rows = try turn.run([
            Statement(
                """
                SELECT entry, envelope, due, id FROM outbox_operation
                WHERE state = 0 AND wait <> 0 AND wait = $1 AND (due, id) < ($2, $3)
                ORDER BY due DESC, id DESC LIMIT $4
                """,
                [
                    .integer(Int64(cause.rawValue)), .integer(last.due), .bytes(last.id),
                    .count(step),
                ]
            )
        ])[0]
        let waiting = rows.map { row in
            (
                entry: row.entry(0), envelope: row.bytes(1),
                position: FairChoice.Position(due: row.integer(2), id: row.bytes(3))
            )
        }
        try turn.write(
            waiting.compactMap { mail in
                guard let envelope = try? Envelope(decoding: mail.envelope) else { return nil }
                return .requeueing(of: mail.entry, as: envelope.madeEligible())
            }
        )
        return waiting.count == step ? waiting.last?.position : nil
    }

    func delete(_ id: EntryID) throws {
        try write { turn in
            try turn.write([
                Statement("DELETE FROM outbox_operation WHERE entry = $1", [.entry(id)])
            ])
        }
    }

    func isUnused() throws -> Bool {
        try read(Statement("SELECT 1 FROM outbox_use")) { _ in true }.isEmpty
    }

    func markUsed() throws {
        try write { turn in
            try turn.write([
                Statement("INSERT INTO outbox_use(used) VALUES (1) ON CONFLICT (used) DO NOTHING")
            ])
        }
    }

    // MARK: The role of the drainer

    func claimDrain() throws -> (any DrainClaim)? { try claimDrain(of: .memos) }

    func claimDrain(of part: MailPart) throws -> (any DrainClaim)? {
        guard leases(of: part) == nil else {
            // Of one process, one drain has a share. Who asks learns of a pool that is closed.
            try translating { try pool.attemptBlocking { _ in } }
            return nil
        }
        let claimed = claims.withLock { $0.claimed }
        let leases = try translating {
            try ShardLeases(
                of: part,
                pool: pool,
                times: leaseTimes,
                returns: returns,
                claimed: claimed
            )
        }
        claims.withLock { $0.leases[part] = WeakLeases(leases: leases) }
        return leases
    }

    /// The leases of this process, while it drains a part.
    func leases(of part: MailPart) -> ShardLeases? {
        claims.withLock { $0.leases[part]?.leases }
    }

    /// Has drains that begin later call `claimed` when they have got mails to look at.
    func tellClaims(_ claimed: @escaping @Sendable () -> Void) {
        claims.withLock { $0.claimed = claimed }
    }

    /// Waits until the leases of drains that have ended are given back, as far as that is possible now.
    func finishReturns() { returns.sync {} }

    func close() { pool.closeBlocking() }

    // MARK: -

    private func read<Value: Sendable>(
        _ statement: Statement,
        _ read: @escaping @Sendable (Row) throws -> Value
    ) throws -> [Value] {
        try translating {
            try pool.attemptBlocking { try $0.run(statement).map(read) }
        }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Turn) throws -> Value
    ) throws -> Value {
        try translating { try turns.writeBlocking(body) }
    }
}

extension OperationState {
    /// The state of a row. A value that only a newer build knows keeps the entry out of the queue.
    init(row state: Int64) {
        self = UInt8(exactly: state).flatMap(OperationState.init(rawValue:)) ?? .quarantined
    }
}

extension StoredEntry {
    /// A row with entry, identifier, state, quarantine, envelope and record.
    init(row: Row) throws {
        self.init(
            id: row.entry(0),
            operationID: OperationID(bytes: row.bytes(1)),
            state: OperationState(row: row.integer(2)),
            envelope: row.bytes(4),
            record: row.bytes(5),
            quarantineReason: row.optionalText(3).flatMap(QuarantineReason.init(rawValue:))
        )
    }
}

extension Statement {
    fileprivate static func entry(_ id: EntryID) -> Statement {
        Statement(
            """
            SELECT entry, id, state, quarantine, envelope, record FROM outbox_operation
            WHERE entry = $1 AND state = 0
            """,
            [.entry(id)]
        )
    }
}
