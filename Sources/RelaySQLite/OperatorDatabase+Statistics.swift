import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
import RelayRules
public import RelayServer
import SQLite

extension OperatorDatabase {
    public func statistics(at now: WallTime) throws(OperatorError) -> RelayStatistics {
        try read { database in
            try database.execute("BEGIN")
            defer { try? database.execute("COMMIT") }
            return RelayStatistics(
                queue: try QueueFigures(in: database),
                waits: Self.named(
                    try QueueCondition(at: now, waits: .max, in: database).waits
                ),
                deadLetters: Self.counted(try reasons(in: database)),
                memos: Dictionary(
                    try database.query(
                        "SELECT status, count(*) FROM memo GROUP BY status"
                    ) { (DeliveryStatus(rawValue: $0.text(0)).rawValue, Int($0.integer(1))) },
                    uniquingKeysWith: +
                ),
                accounts: try Self.count("account", in: database),
                devices: try Self.count("device WHERE revoked_at IS NULL", in: database)
            )
        }
    }

    private func reasons(in database: Connection) throws -> [String] {
        try database.query(
            """
            SELECT state, quarantine, envelope FROM outbox_operation
            WHERE \(SQLiteTables.isDead)
            """
        ) { row in
            DeadLetter.reason(
                isParked: row.integer(0) == Int64(OperationState.parked.rawValue),
                quarantine: row.optionalText(1),
                envelope: row.blob(2)
            )
        }
    }

    private static func count(_ rows: String, in database: Connection) throws -> Int {
        try database.first("SELECT count(*) FROM \(rows)") { Int($0.integer(0)) } ?? 0
    }

    private static func named(_ counts: [ReasonCode: Int]) -> [String: Int] {
        Dictionary(counts.map { ("\($0.key)", $0.value) }, uniquingKeysWith: +)
    }

    private static func counted(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

extension QueueFigures {
    /// - Complexity: O(mails), by the index alone.
    init(in database: Connection) throws {
        self.init()
        dead =
            try database.first(
                "SELECT count(*) FROM outbox_operation WHERE \(SQLiteTables.isDead)"
            ) { Int($0.integer(0)) } ?? 0
        held = try database.first("SELECT count(*) FROM held_mail") { Int($0.integer(0)) } ?? 0
        for part in MailPart.allCases {
            let found = try database.first(
                """
                SELECT count(*), min(id) FROM outbox_operation
                WHERE state IN (0, 3) AND id > ? AND id <= ?
                """,
                .blob(part.bounds.above),
                .blob(part.bounds.last)
            ) { (count: Int($0.integer(0)), first: $0.optionalBlob(1)) }
            guard let found, let id = found.first.flatMap({ OperationID(bytes: $0) }) else {
                continue
            }
            if part == .codes { codes = found.count } else { memos = found.count }
            oldest = min(oldest ?? part.time(of: id), part.time(of: id))
        }
    }
}
