public import MemoCore
public import OutboxCore
public import SyncCore
import WireCore

/// The status of a memo of any device of the person. Never has the memo's text.
public struct SharedMemo: Hashable, Sendable {
    /// The memo.
    public let id: OperationID
    /// The status.
    public let status: HistoryStatus
    /// The relay's name of the device that wrote the memo.
    public let device: [UInt8]
    /// The time at which the relay accepted the memo.
    public let acceptedAt: WallTime

    private static let statusName = StaticString("status").bytes
    private static let reasonName = StaticString("reason").bytes
    private static let deviceName = StaticString("device").bytes
    private static let acceptedName = StaticString("acceptedAt").bytes

    /// The memo of a record.
    ///
    /// - Returns: `nil` for a record of another kind.
    public init?(_ key: RecordKey, _ fields: [Field]) {
        guard key.kind == SharedKind.memo, let id = OperationID(bytes: key.id) else { return nil }
        self.id = id
        status = HistoryStatus(
            name: fields[Self.statusName]?.value ?? [],
            reason: fields[Self.reasonName].map { ReasonCode(utf8: $0.value) }
        )
        device = fields[Self.deviceName]?.value ?? []
        acceptedAt = WallTime(bytes: fields[Self.acceptedName]?.value ?? [])
    }

    static func row(_ told: JSON, _ version: UInt64) -> Row? {
        guard let id = told[string: "id"].flatMap({ OperationID(text: $0) }),
            let status = told[string: "status"], !status.isEmpty,
            let device = told[string: "device"], let accepted = told[number: "acceptedAt"]
        else { return nil }
        var fields = [
            Field(name: statusName, value: status), Field(name: deviceName, value: device),
            Field(name: acceptedName, value: decimal(accepted)),
        ]
        if let reason = told[string: "reason"] {
            fields.append(Field(name: reasonName, value: reason))
        }
        return Row(
            key: RecordKey(kind: SharedKind.memo.bytes, id: id.bytes),
            version: version,
            fields: fields
        )
    }
}

extension WallTime {
    /// The time of decimal digits; the earliest time for other bytes.
    init(bytes: [UInt8]) {
        self =
            JSON(decoding: bytes)?.number.map { WallTime(millisecondsSinceEpoch: $0) }
            ?? .distantPast
    }
}
