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

    /// The value of a setting; `nil` before it was ever equal.
    func basis(of setting: SharedSetting, in connection: Connection) throws -> [UInt8]? {
        let sealed = try connection.first(
            "SELECT sealed FROM memo_basis WHERE setting = ?",
            .integer(Int64(setting.rawValue)),
            row: { $0.blob(0) }
        )
        return try sealed.map { try sealer.open($0, context: Self.context(setting)) }
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
