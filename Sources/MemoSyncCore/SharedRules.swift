import MemoCore
public import SyncCore
import WireCore

/// The rules for the records that all devices of a person share.
///
/// | record | two devices changed it without knowing of each other |
/// |---|---|
/// | settings, different fields | both changes stay |
/// | ``SharedSetting/subject``, ``SharedSetting/signature`` | a person chooses, on the device whose change came second |
/// | ``SharedSetting/language``, ``SharedSetting/overlay``, a setting of a later build | the change that comes second stays |
/// | device | revoked twice is revoked |
/// | memo | the relay alone changes it |
public struct SharedRules: SyncRules, Hashable, Sendable {
    /// Makes the rules.
    public init() {}

    public func policy(for kind: [UInt8]) -> ConflictPolicy {
        if kind == SharedKind.settings { return .merge }
        // A revocation holds, whatever else has happened to the device.
        return kind == SharedKind.device ? .clientWins : .serverWins
    }

    /// Whether the fields keep the relay's limits: their number, their names, and all their bytes together.
    ///
    /// What a value means is the faces' business, because a value may be a later build's.
    public func isValid(_ fields: [Field], in kind: [UInt8]) -> Bool {
        guard kind == SharedKind.settings else { return true }
        guard fields.count <= RelayLimits.settings else { return false }
        var length = 0
        for field in fields {
            guard SettingName.isValid(field.name), isUTF8(field.value) else { return false }
            length += field.name.count + field.value.count
        }
        return length <= RelayLimits.settingsLength
    }

    public func merge(
        _ kind: [UInt8],
        base: [Field],
        mine: [Field],
        theirs: [Field]?
    ) -> [Field]? {
        var merged = theirs ?? []
        for field in mine {
            let value = field.value
            let before = base[field.name]?.value
            let there = theirs?[field.name]?.value
            // Not changed here, or changed here and there to the same value.
            if value == before || value == there { continue }
            let isChangedThere = theirs != nil && there != before
            if isChangedThere, SharedSetting(name: field.name)?.isWrittenByHand == true {
                return nil
            }
            merged.set(field)
        }
        return merged
    }
}

extension [Field] {
    /// Writes a value over that of the same name.
    fileprivate mutating func set(_ field: Field) {
        for position in indices where self[position].name == field.name {
            self[position] = field
            return
        }
        append(field)
    }
}

/// The rule for the names of settings.
enum SettingName {
    /// Whether a name is 1 to ``/MemoCore/RelayLimits/settingNameLength`` ASCII letters, digits and hyphens.
    static func isValid(_ name: [UInt8]) -> Bool {
        guard 1...RelayLimits.settingNameLength ~= name.count else { return false }
        for byte in name {
            switch byte {
            case 0x2D, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
            default: return false
            }
        }
        return true
    }
}
