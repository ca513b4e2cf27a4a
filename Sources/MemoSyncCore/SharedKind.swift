public import SyncCore
import WireCore

/// The kinds of the records that all devices of a person share. Their names are those of the wire.
public enum SharedKind {
    /// The status of a memo, of any device of the person. Devices read it, and never write it.
    public static let memo: StaticString = "memo"
    /// A device of the person. Devices may delete it: that revokes its token.
    public static let device: StaticString = "device"
    /// The settings: one record.
    public static let settings: StaticString = "settings"
}

extension RecordKey {
    /// The one record of the settings.
    public static var settings: RecordKey {
        RecordKey(kind: SharedKind.settings.bytes, id: SharedKind.settings.bytes)
    }

    /// The record of a device.
    ///
    /// - Parameter device: The relay's opaque name of the device.
    public static func device(_ device: [UInt8]) -> RecordKey {
        RecordKey(kind: SharedKind.device.bytes, id: device)
    }
}
