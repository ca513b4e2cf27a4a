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
    /// The leases that this process has or had.
    private let leases = Mutex<[MailPart: WeakLease]>([:])
    private let returns = DispatchQueue(label: "relay-lease-returns")

    private struct WeakLease: Sendable {
        weak var lease: DrainLease?
    }

    init(pool: Pool, turns: RelayTurns, clock: OutboxClock) {
        self.pool = pool
        self.turns = turns
        self.clock = clock
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
        let lease = lease(of: part)
        if let lease, !lease.isHeld {
            // The lease is claimed again meanwhile.
            let later = now.advanced(by: DrainLease.pause)
            return EligibleRecords(entries: [], nextEligibleAt: later)
        }
        let records = try translating {
            try pool.attemptBlocking { connection in
                var choice = FairChoice(limit: limit)
                while let page = choice.next {
                    choice.take(
                        try connection.run(.page(page, in: part, at: now)).map(FairChoice.Mail.init)
                    )
                }
                let chosen = choice.chosen
                let known = chosen.map { $0.withoutRecord(ifAmong: operations) }
                let read = zip(chosen, known).filter { $0.1 == nil }.map { $0.0.entry }
                let rows = try connection.snapshot(
                    read.map { .entry($0) } + [.nextDue(in: part, after: now)]
                )
                var others = rows.dropLast().makeIterator()
                let entries = try known.compactMap { entry in
                    try entry ?? others.next()?.first.map(StoredEntry.init(row:))
                }
                return EligibleRecords(
                    entries: entries,
                    nextEligibleAt: chosen.count < limit ? rows.last?.first?.time(0) : nil
                )
            }
        }
        // A mail in flight stays one of the epoch under which it was handed out.
        lease?.handOut(
            records.entries
                .filter { $0.operationID.map { !operations.contains($0) } ?? true }
                .map(\.id)
        )
        return records
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
        try write { try $0.write(operations.map { .insertion(of: $0) }) }
    }

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        guard let first = settlements.first else { return [] }
        let lease = lease(of: MailPart.codes.contains(first.id) ? .codes : .memos)
        let (own, others) = lease?.divide(settlements) ?? (settlements, [])
        let fence = lease?.fence
        let now = clock.wallTime()
        // `nil`: another relay has the lease.
        let unsettled = try write { turn -> [Unsettled]? in
            if let fence, try turn.run([fence])[0].count == 0 { return nil }
            return try Self.settle(own, at: now, in: turn)
        }
        if unsettled == nil { lease?.lose() }
        lease?.forget(settlements)
        let notOurs = unsettled == nil ? settlements : others
        return (unsettled ?? []) + notOurs.map { Unsettled($0.entry, .anothers) }
    }

    private static func settle(
        _ settlements: [Settlement],
        at now: WallTime,
        in turn: Turn
    ) throws -> [Unsettled] {
        guard !settlements.isEmpty else { return [] }
        let fates = settlements.flatMap { settlement in
            MemoFate(settlement.transition)
                .map { Statement.record($0, of: settlement.id, at: now) } ?? []
        }
        let notes = settlements.flatMap { settlement in
            switch settlement.transition {
            case .remove: [Statement.dropHold(of: settlement.entry)]
            case .park: Statement.noteDeath(of: settlement.entry)
            case .reschedule: [Statement.keepHold(of: settlement.entry)]
            }
        }
        try turn.write(fates)
        let rows = try turn.change(settlements.map { .settling($0) })
        try turn.write(notes)
        return zip(settlements, rows).compactMap { settlement, rows in
            rows.changed == 0 ? Unsettled(settlement.entry, .gone) : nil
        }
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
            try turn.write(
                [quarantine] + Statement.refuseQuarantined(id, at: now)
                    + Statement.noteDeath(of: id)
            )
        }
    }

    func requeue(_ id: EntryID, as envelope: Envelope) throws {
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
        let lease = try translating { try DrainLease(of: part, pool: pool, returns: returns) }
        if let lease { leases.withLock { $0[part] = WeakLease(lease: lease) } }
        return lease
    }

    private func lease(of part: MailPart) -> DrainLease? {
        leases.withLock { $0[part]?.lease }
    }

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

extension FairChoice.Mail {
    /// A row with entry, due time, identifier and mailbox.
    fileprivate init(row: Row) {
        self.init(
            entry: row.entry(0),
            position: FairChoice.Position(due: row.integer(1), id: row.bytes(2)),
            mailbox: row.optionalBytes(3)
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

    fileprivate static func nextDue(in part: MailPart, after now: WallTime) -> Statement {
        Statement(
            """
            SELECT due FROM outbox_operation
            WHERE state = 0 AND due > $1 AND id > $2 AND id <= $3 ORDER BY due LIMIT 1
            """,
            [.time(now), .bytes(part.bounds.above), .bytes(part.bounds.last)]
        )
    }

    /// The due mails of a page.
    fileprivate static func page(
        _ page: FairChoice.Page,
        in part: MailPart,
        at now: WallTime
    ) -> Statement {
        // No mailbox has an empty name.
        let leftOut = (page.leftOut + Array(repeating: [], count: FairChoice.mostLeftOut))
            .prefix(FairChoice.mostLeftOut).map { Value.bytes($0) }
        switch page.age {
        case .new:
            return Statement(
                """
                SELECT entry, due, id, mailbox FROM (
                    SELECT outbox_operation.entry, due, outbox_operation.id, mailbox
                    FROM outbox_operation LEFT JOIN memo ON memo.operation = outbox_operation.id
                    WHERE state = 0 AND due = 0
                        AND outbox_operation.id > $9 AND outbox_operation.id <= $10
                    ORDER BY due, outbox_operation.id LIMIT $12
                ) AS searched
                WHERE mailbox IS NULL OR mailbox NOT IN ($1, $2, $3, $4, $5, $6, $7, $8)
                ORDER BY due, id LIMIT $11
                """,
                leftOut + [
                    .bytes(page.last?.id ?? part.bounds.above), .bytes(part.bounds.last),
                    .count(page.limit), .count(page.search),
                ]
            )
        case .tried:
            return Statement(
                """
                SELECT entry, due, id, mailbox FROM (
                    SELECT outbox_operation.entry, due, outbox_operation.id, mailbox
                    FROM outbox_operation LEFT JOIN memo ON memo.operation = outbox_operation.id
                    WHERE state = 0 AND due <= $9 AND (due, outbox_operation.id) > ($10, $11)
                        AND outbox_operation.id > $12 AND outbox_operation.id <= $13
                    ORDER BY due, outbox_operation.id LIMIT $15
                ) AS searched
                WHERE mailbox IS NULL OR mailbox NOT IN ($1, $2, $3, $4, $5, $6, $7, $8)
                ORDER BY due, id LIMIT $14
                """,
                leftOut + [
                    .time(now), .integer(page.last?.due ?? 0),
                    .bytes(page.last?.id ?? part.bounds.last), .bytes(part.bounds.above),
                    .bytes(part.bounds.last), .count(page.limit), .count(page.search),
                ]
            )
        }
    }
}
