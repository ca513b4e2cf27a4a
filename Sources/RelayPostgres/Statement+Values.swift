import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

extension Statement.Value {
    /// Milliseconds since 1970.
    static func time(_ time: WallTime) -> Self { .integer(time.millisecondsSinceEpoch) }

    static func count(_ number: Int) -> Self { .integer(Int64(number)) }

    static func id(_ id: OperationID) -> Self { .bytes(id.bytes) }

    static func id(_ account: AccountID) -> Self { .id(account.bits) }

    static func id(_ device: DeviceID) -> Self { .id(device.bits) }

    static func id(_ mailbox: MailboxID) -> Self { .id(mailbox.bits) }

    static func entry(_ entry: EntryID) -> Self { .integer(entry.rawValue) }
}

extension Row {
    func time(_ column: Int) -> WallTime { WallTime(millisecondsSinceEpoch: integer(column)) }

    /// `nil` for `NULL`.
    func optionalTime(_ column: Int) -> WallTime? {
        optionalInteger(column).map { WallTime(millisecondsSinceEpoch: $0) }
    }

    func count(_ column: Int) -> Int { Int(integer(column)) }

    func id(_ column: Int) throws -> OperationID { try OperationID(column: bytes(column)) }

    /// `nil` for `NULL`.
    func optionalID(_ column: Int) throws -> OperationID? {
        try optionalBytes(column).map { try OperationID(column: $0) }
    }

    func account(_ column: Int) throws -> AccountID { AccountID(bits: try id(column)) }

    func device(_ column: Int) throws -> DeviceID { DeviceID(bits: try id(column)) }

    func entry(_ column: Int) -> EntryID { EntryID(rawValue: integer(column)) }
}
