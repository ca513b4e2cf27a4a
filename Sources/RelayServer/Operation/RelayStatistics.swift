import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite

/// Numbers about a relay's database, for its operator. None belongs to one person.
public struct RelayStatistics: Hashable, Sendable {
    /// The mail queue.
    public var queue: QueueFigures
    /// The last failures of the mails that wait, with the numbers of mails.
    public var waits: [String: Int]
    /// The reasons of the dead letters, with the numbers of letters.
    public var deadLetters: [String: Int]
    /// The statuses of all memos, with the numbers of memos.
    public var memos: [String: Int]
    /// The number of accounts.
    public var accounts: Int
    /// The number of devices that are signed in.
    public var devices: Int

    /// The statistics as a JSON object with the ages in seconds, and a line end.
    public func json(at now: WallTime) throws -> [UInt8] {
        try RelayJSON.encode(
            Described(
                accounts: accounts,
                deadLetters: deadLetters,
                devices: devices,
                memos: memos,
                oldestSeconds: queue.oldest.map { max(0, now.since($0).count / 1000) },
                queuedCodes: queue.codes,
                queuedMemos: queue.memos,
                waits: waits
            )
        ) + [0x0A]
    }

    private struct Described: Encodable {
        let accounts: Int
        let deadLetters: [String: Int]
        let devices: Int
        let memos: [String: Int]
        let oldestSeconds: Int64?
        let queuedCodes: Int
        let queuedMemos: Int
        let waits: [String: Int]
    }
}

/// The depth of a mail queue.
public struct QueueFigures: Hashable, Sendable {
    /// The number of memos' mails that will be attempted.
    public var memos = 0
    /// The number of codes' mails that will be attempted.
    public var codes = 0
    /// The number of dead letters.
    public var dead = 0
    /// The time at which the oldest of the mails that will be attempted was queued.
    public var oldest: WallTime?

    /// The depth of an empty queue.
    public init() {}

    /// - Complexity: O(mails), by the index alone.
    init(in database: Connection) throws {
        let (parked, quarantined) = (OperationState.parked, OperationState.quarantined)
        dead =
            try database.first(
                """
                SELECT count(*) FROM outbox_operation
                WHERE state IN (\(parked.rawValue), \(quarantined.rawValue))
                """
            ) { Int($0.integer(0)) } ?? 0
        for part in [MailShares.Part.codes, .memos] {
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

extension OperatorDatabase {
    /// The numbers, all of one moment.
    ///
    /// - Complexity: O(mails + memos).
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
            SELECT state, quarantine, envelope FROM outbox_operation WHERE state IN
                (\(OperationState.parked.rawValue), \(OperationState.quarantined.rawValue))
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
