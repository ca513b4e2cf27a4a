import MemoSyncCore
import Outbox
import OutboxSQLite
import SQLite

/// The product's own tables beside the shared records, in the records' database.
///
/// | table | content, sealed |
/// |---|---|
/// | `memo_owner` | the account whose records these are |
/// | `memo_basis` | for each setting, the value that stood in the records and on this device when they were last equal |
struct SharedTables {
    let sealer: Sealer

    func prepare(_ connection: Connection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS memo_owner (
                number INTEGER PRIMARY KEY CHECK (number = 1), sealed BLOB NOT NULL
            );
            CREATE TABLE IF NOT EXISTS memo_basis (
                setting INTEGER PRIMARY KEY, sealed BLOB NOT NULL
            );
            """
        )
    }

    /// The owner; `nil` for a database without one.
    ///
    /// - Throws: Also for an owner that cannot be opened: the database is not another account's then.
    func owner(in connection: Connection) throws -> SharedOwner? {
        let sealed = try connection.first("SELECT sealed FROM memo_owner", row: { $0.blob(0) })
        guard let sealed else { return nil }
        return SharedOwner(decoding: try sealer.open(sealed, context: Self.ownerContext))
    }

    func setOwner(_ sealed: [UInt8], in connection: Connection) throws {
        try connection.run(
            "INSERT OR IGNORE INTO memo_owner (number, sealed) VALUES (1, ?)",
            .blob(sealed)
        )
    }

    func sealed(_ owner: SharedOwner) throws -> [UInt8] {
        try sealer.seal(owner.encoded, context: Self.ownerContext)
    }

    /// The values of all settings that have one.
    func basis(in connection: Connection) throws -> [SharedSetting: [UInt8]] {
        let rows = try connection.query(
            "SELECT setting, sealed FROM memo_basis",
            row: { ($0.integer(0), $0.blob(1)) }
        )
        var basis: [SharedSetting: [UInt8]] = [:]
        for (number, sealed) in rows {
            guard let raw = UInt8(exactly: number), let setting = SharedSetting(rawValue: raw)
            else {
                continue
            }
            basis[setting] = try sealer.open(sealed, context: Self.context(setting))
        }
        return basis
    }

    func setBasis(
        _ sealed: [UInt8],
        of setting: SharedSetting,
        in connection: Connection
    ) throws {
        try connection.run(
            "INSERT OR REPLACE INTO memo_basis (setting, sealed) VALUES (?, ?)",
            .integer(Int64(setting.rawValue)),
            .blob(sealed)
        )
    }

    func sealed(_ value: [UInt8], of setting: SharedSetting) throws -> [UInt8] {
        try sealer.seal(value, context: Self.context(setting))
    }

    private static let ownerContext = Array("memo.owner".utf8)

    private static func context(_ setting: SharedSetting) -> [UInt8] {
        Array("memo.basis".utf8) + [0, setting.rawValue]
    }
}
