import Outbox
import OutboxCore
import PostgreSQL
import RelayAPI
import RelayRules
import RelayServer

extension PostgreSQLTables {
    /// - Complexity: O(mails).
    func queueFigures() throws -> QueueFigures {
        var figures = QueueFigures()
        figures.dead =
            try first(
                """
                SELECT count(*) FROM outbox_operation WHERE state <> 0 AND NOT EXISTS (
                    SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry)
                """
            ) { $0.count(0) } ?? 0
        figures.held = try first("SELECT count(*) FROM held_mail") { $0.count(0) } ?? 0
        for part in MailPart.allCases {
            let (above, last) = part.bounds
            let count = try first(
                "SELECT count(*) FROM outbox_operation WHERE state = 0 AND id > $1 AND id <= $2",
                .bytes(above),
                .bytes(last)
            ) { $0.count(0) }
            let oldest = try first(
                """
                SELECT id FROM outbox_operation WHERE state = 0 AND id > $1 AND id <= $2
                ORDER BY id LIMIT 1
                """,
                .bytes(above),
                .bytes(last)
            ) { part.time(of: try $0.id(0)) }
            if part == .codes { figures.codes = count ?? 0 } else { figures.memos = count ?? 0 }
            figures.oldest = [figures.oldest, oldest].compactMap { $0 }.min()
        }
        return figures
    }

    /// - Parameter limit: The greatest number of mails that wait that are looked at.
    func queueCondition(at now: WallTime, waits limit: Int = 1000) throws -> QueueCondition {
        QueueCondition(dueSince: try dueSince(at: now), waits: try waits(limit: limit))
    }

    /// A new mail is due since the time in its identifier, a mail that was tried since the end of
    /// its wait.
    private func dueSince(at now: WallTime) throws -> WallTime? {
        var moments: [WallTime?] = []
        for part in MailPart.allCases {
            moments.append(
                try first(
                    """
                    SELECT id FROM outbox_operation
                    WHERE state = 0 AND due = 0 AND id > $1 AND id <= $2 ORDER BY id LIMIT 1
                    """,
                    .bytes(part.bounds.above),
                    .bytes(part.bounds.last)
                ) { part.time(of: try $0.id(0)) }
            )
        }
        moments.append(
            try first(
                """
                SELECT due FROM outbox_operation
                WHERE state = 0 AND due > 0 AND due <= $1 ORDER BY due LIMIT 1
                """,
                .time(now)
            ) { $0.time(0) }
        )
        return moments.compactMap { $0 }.min()
    }

    private func waits(limit: Int) throws -> [ReasonCode: Int] {
        let reasons = try list(
            """
            SELECT envelope FROM outbox_operation
            WHERE state = 0 AND wait <> 0 AND wait = $1 ORDER BY due DESC, id DESC LIMIT $2
            """,
            .integer(Int64(WaitCause.backoff.rawValue)),
            .count(limit)
        ) { ReasonCode(lastErrorOf: $0.bytes(0)) }
        return Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    }

    func statistics(at now: WallTime) throws -> RelayStatistics {
        let waits = try queueCondition(at: now, waits: .max).waits
        let deadLetters = try list(
            """
            SELECT state, quarantine, envelope FROM outbox_operation
            WHERE state <> 0 AND NOT EXISTS (
                SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry)
            """
        ) { row in
            DeadLetter.reason(
                isParked: row.integer(0) == Int64(OperationState.parked.rawValue),
                quarantine: row.optionalText(1),
                envelope: row.bytes(2)
            )
        }
        let memos = try list("SELECT status, count(*) FROM memo GROUP BY status") { row in
            (DeliveryStatus(rawValue: row.text(0)).rawValue, row.count(1))
        }
        return RelayStatistics(
            queue: try queueFigures(),
            waits: Dictionary(waits.map { ("\($0.key)", $0.value) }, uniquingKeysWith: +),
            deadLetters: Dictionary(deadLetters.map { ($0, 1) }, uniquingKeysWith: +),
            memos: Dictionary(memos, uniquingKeysWith: +),
            accounts: try first("SELECT count(*) FROM account") { $0.count(0) } ?? 0,
            devices: try first("SELECT count(*) FROM device WHERE revoked_at IS NULL") {
                $0.count(0)
            } ?? 0,
            relays: try shares()
        )
    }

    /// What each relay hands over, by the relays' names.
    private func shares() throws -> [RelayShare] {
        let rows = try list(
            """
            SELECT name, shard FROM relay_drainer LEFT JOIN relay_shard
                ON holder = id
                    AND relay_shard.expires > CAST(extract(epoch FROM now()) * 1000 AS bigint)
            WHERE relay_drainer.expires > CAST(extract(epoch FROM now()) * 1000 AS bigint)
            ORDER BY name, shard
            """
        ) { (name: $0.text(0), shard: $0.optionalInteger(1).map { Int($0) }) }
        return rows.reduce(into: []) { shares, row in
            if shares.last?.name != row.name { shares.append(RelayShare(name: row.name)) }
            let last = shares.count - 1
            switch row.shard {
            case .some(let shard) where MailPart.codes.shards.contains(shard):
                shares[last].codes = true
            case .some(let shard): shares[last].shards.append(shard)
            case nil: break
            }
        }
    }
}
