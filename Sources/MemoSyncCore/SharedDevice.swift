public import OutboxCore
public import SyncCore
import WireCore

/// A device of the person, as all devices know it.
public struct SharedDevice: Hashable, Sendable {
    /// The relay's opaque name of the device.
    public let id: [UInt8]
    /// The name that the device gave itself.
    public let name: [UInt8]
    /// The time at which the device was signed in.
    public let createdAt: WallTime

    private static let nameName = StaticString("name").bytes
    private static let createdName = StaticString("createdAt").bytes

    /// The device of a record.
    ///
    /// - Returns: `nil` for a record of another kind.
    public init?(_ key: RecordKey, _ fields: [Field]) {
        guard key.kind == SharedKind.device else { return nil }
        id = key.id
        name = fields[Self.nameName]?.value ?? []
        createdAt = WallTime(bytes: fields[Self.createdName]?.value ?? [])
    }

    static func row(_ told: JSON, _ version: UInt64) -> Row? {
        guard let id = told[string: "id"], isName(id) else { return nil }
        let key = RecordKey.device(id)
        if let revoked = told[number: "revokedAt"] {
            let stamp = Stamp(
                time: WallTime(millisecondsSinceEpoch: revoked),
                id: Stamp.zero.id
            )
            return Row(key: key, version: version, fields: [], deletion: stamp)
        }
        guard let name = told[string: "name"], let created = told[number: "createdAt"] else {
            return nil
        }
        return Row(
            key: key,
            version: version,
            fields: [
                Field(name: nameName, value: name),
                Field(name: createdName, value: decimal(created)),
            ]
        )
    }

    /// Whether the relay's name of a device can be a part of a path.
    static func isName(_ bytes: [UInt8]) -> Bool {
        guard 1...64 ~= bytes.count else { return false }
        for byte in bytes {
            switch byte {
            case 0x2D, 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: continue
            default: return false
            }
        }
        return true
    }
}
