import MemoCore
import OutboxCore
import SyncCore
import WireCore

/// The settings as the relay writes them, beside other members.
enum SettingsRow {
    /// - Parameters:
    ///   - told: An object with the member `fields`.
    ///   - version: The version of the settings.
    /// - Returns: `nil` for settings that cannot be read.
    static func row(_ told: JSON, _ version: UInt64) -> Row? {
        guard case .object(let members)? = told["fields"] else { return nil }
        var fields: [Field] = []
        for member in members {
            guard SettingName.isValid(member.name),
                let value = member.value[string: "value"], isUTF8(value),
                let time = member.value[number: "time"],
                let number = member.value[number: "number"]?.changeNumber,
                let node = member.value[string: "node"].flatMap({ NodeID(hexadecimal: $0) })
            else { return nil }
            let stamp = Stamp(
                time: WallTime(millisecondsSinceEpoch: time),
                id: ChangeID(number: number, node: node)
            )
            fields.append(Field(name: member.name, value: value, stamp: stamp))
        }
        return Row(key: .settings, version: version, fields: fields)
    }

    /// The settings of an answer; `nil` where the relay has none.
    ///
    /// - Throws: ``SharingFailure/notOurAnswer`` for settings that cannot be read.
    static func row(in answer: JSON) throws(SharingFailure) -> Row? {
        guard let told = answer["settings"] else { return nil }
        if case .null = told { return nil }
        guard let version = told[number: "version"]?.changeNumber, let row = row(told, version)
        else {
            throw .notOurAnswer
        }
        return row
    }
}

extension NodeID {
    /// The 32 lower-case hexadecimal digits of the node.
    var hexadecimalDigits: [UInt8] { hexadecimal(high) + hexadecimal(low) }

    /// - Returns: `nil` for other than 32 lower-case hexadecimal digits.
    init?(hexadecimal digits: [UInt8]) {
        guard let high = number(hexadecimal: digits.prefix(16)),
            let low = number(hexadecimal: digits.dropFirst(16))
        else { return nil }
        self.init(high: high, low: low)
    }
}
