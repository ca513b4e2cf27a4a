import Outbox
public import OutboxCore
import OutboxSQLite
import RelayRules
public import RelayServer
import SQLite

extension SQLiteRelayStore {
    public func tryKeys() async throws {
        let sealed = try read { database in
            try database.first("SELECT sealed FROM relay_secret") { $0.blob(0) }
        }
        let keys = keys
        try await keyQueue.run {
            let known = try keys.keys(creating: false).map(\.id)
            guard let needed = sealed.flatMap(Sealer.keyID), known.contains(needed) else {
                throw KeyStoreError.missing
            }
        }
    }

    public func reusableSpace() -> Int64 {
        let space = try? read { database in
            let pages = try database.first("PRAGMA freelist_count") { $0.integer(0) } ?? 0
            let pageSize = try database.first("PRAGMA page_size") { $0.integer(0) } ?? 0
            return pages * pageSize
        }
        return space ?? 0
    }

    public func lastMovement() async throws -> WallTime? {
        try read { try tables(in: $0).lastMovement() }
    }

    public func queueFigures() async throws -> QueueFigures {
        try await readMuch { try QueueFigures(in: $0) }
    }

    public func queueCondition(at now: WallTime) async throws -> QueueCondition {
        try await readMuch { try QueueCondition(at: now, in: $0) }
    }
}

extension QueueCondition {
    /// - Complexity: O(1): of the mails that wait, at most `limit` are looked at.
    init(at now: WallTime, waits limit: Int = 1000, in database: Connection) throws {
        self.init(
            dueSince: try Self.dueSince(at: now, in: database),
            waits: try Self.waits(limit: limit, in: database)
        )
    }

    /// A new mail is due since the time in its identifier, a mail that was tried since the end of
    /// its wait.
    private static func dueSince(
        at now: WallTime,
        in database: Connection
    ) throws -> WallTime? {
        var moments: [WallTime] = []
        for part in MailPart.allCases {
            let oldest = try database.first(
                """
                SELECT id FROM outbox_operation
                WHERE state = 0 AND due = 0 AND id > ? AND id <= ? ORDER BY id LIMIT 1
                """,
                .blob(part.bounds.above),
                .blob(part.bounds.last)
            ) { $0.blob(0) }
            if let oldest, let id = OperationID(bytes: oldest) { moments.append(part.time(of: id)) }
        }
        let tried = try database.first(
            """
            SELECT due FROM outbox_operation
            WHERE state = 0 AND due > 0 AND due <= ? ORDER BY due LIMIT 1
            """,
            .integer(now.millisecondsSinceEpoch)
        ) { $0.integer(0) }
        if let tried { moments.append(WallTime(millisecondsSinceEpoch: tried)) }
        return moments.min()
    }

    private static func waits(limit: Int, in database: Connection) throws -> [ReasonCode: Int] {
        let reasons = try database.query(
            """
            SELECT envelope FROM outbox_operation
            WHERE state IN (0, 3) AND wait <> 0 AND wait = \(WaitCause.backoff.rawValue)
            ORDER BY due DESC, id DESC LIMIT ?
            """,
            .integer(Int64(limit))
        ) { ReasonCode(lastErrorOf: $0.blob(0)) }
        return Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
