public import SyncCore
import WireCore

/// A setting that all devices of a person share. Devices keep the settings of later builds as they are.
public enum SharedSetting: UInt8, CaseIterable, Hashable, Sendable {
    /// The language: a BCP 47 tag.
    case language
    /// The template of the subjects, as the person wrote it.
    case subject
    /// The text below each memo.
    case signature
    /// Whether the app covers its content while it is in the background: `on` or `off`.
    case overlay

    /// The name on the wire, and of the record's field.
    public var name: [UInt8] {
        switch self {
        case .language: StaticString("language").bytes
        case .subject: StaticString("subject").bytes
        case .signature: StaticString("signature").bytes
        case .overlay: StaticString("overlay").bytes
        }
    }

    /// Whether the value is a person's own words. Of two such values, changed on two devices that did not
    /// know of each other, a person chooses one; of two others, that of the later push stays.
    public var isWrittenByHand: Bool {
        switch self {
        case .subject, .signature: true
        case .language, .overlay: false
        }
    }

    /// The setting of a name; `nil` for a setting of a later build.
    public init?(name: [UInt8]) {
        for setting in Self.allCases where setting.name == name {
            self = setting
            return
        }
        return nil
    }

    /// The value that a record of the settings has; empty for a setting that was never set, or was reset.
    ///
    /// - Complexity: O(fields).
    public func value(in fields: [Field]) -> [UInt8] { fields[name]?.value ?? [] }

    /// A field that sets this setting.
    ///
    /// - Parameter value: UTF-8; empty to reset the setting.
    public func field(_ value: [UInt8]) -> Field { Field(name: name, value: value) }
}
