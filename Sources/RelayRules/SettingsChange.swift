import MemoCore
public import OutboxCore
public import RelayAPI

/// A change of an account's settings, as a device asks for it.
public struct SettingsChange: Hashable, Sendable {
    package let account: AccountID
    package let name: ChangeName
    /// The time of the change's stamp, by the device's clock.
    package let time: WallTime
    /// The number through which the device has all answers of the node.
    package let settledThrough: Int64
    /// The version that the change was made on; 0 for no settings.
    package let madeOn: Int64
    /// The values to write, by the names of the settings.
    package let fields: [String: String]
    /// The key under which the account's changes of the settings count.
    package let rateKey: [UInt8]

    package init(
        account: AccountID,
        name: ChangeName,
        time: WallTime,
        settledThrough: Int64,
        madeOn: Int64,
        fields: [String: String],
        rateKey: [UInt8]
    ) {
        self.account = account
        self.name = name
        self.time = time
        self.settledThrough = settledThrough
        self.madeOn = madeOn
        self.fields = fields
        self.rateKey = rateKey
    }

    /// The reason for which these values are refused; `nil` for values within the limits.
    ///
    /// - Parameter settings: The settings that the account has; `nil` for none.
    package func refusal(on settings: SharedSettings?) -> String? {
        guard fields.keys.allSatisfy(Self.isName) else { return "bad-name" }
        let values = (settings?.fields ?? [:]).mapValues(\.value).merging(fields) { $1 }
        guard values.count <= RelayLimits.settings else { return "too-many" }
        let bytes = values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return bytes <= RelayLimits.settingsLength ? nil : "too-long"
    }

    /// The settings after the change.
    package func applied(
        to settings: SharedSettings?,
        at time: WallTime,
        version: Int64
    ) -> SharedSettings {
        let node = hexadecimal(name.node)
        let written = fields.mapValues { value in
            SharedField(
                value: value,
                time: time.millisecondsSinceEpoch,
                number: name.number,
                node: node
            )
        }
        return SharedSettings(
            version: version,
            fields: (settings?.fields ?? [:]).merging(written) { $1 }
        )
    }

    /// Whether a text is 1 to ``/MemoCore/RelayLimits/settingNameLength`` ASCII letters, digits and
    /// hyphens.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= RelayLimits.settingNameLength
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
                default: false
                }
            }
    }
}

/// A store's decision about a ``SettingsChange``.
public enum SettingsDecision: Hashable, Sendable {
    /// The change is applied, now or before.
    case accepted(version: Int64, time: WallTime)
    /// Nothing is applied: the settings are not those that the change was made on.
    case conflict(SharedSettings?, time: WallTime)
    /// Nothing is applied, and this content never will be.
    case refused(reason: String, SharedSettings?)
    /// Nothing is applied: the number belongs to another content.
    case newNode
    /// Nothing is written: the account has made as many changes as it may.
    case wait(Milliseconds)

    /// The decision that was heard before, with the present settings.
    package init(_ earlier: ChangeLedger.Earlier, _ settings: SharedSettings?) {
        switch earlier {
        case .other: self = .newNode
        case .heard(let heard):
            let time = WallTime(millisecondsSinceEpoch: heard.time)
            switch heard.answer {
            case .accepted(let version): self = .accepted(version: version, time: time)
            case .conflict: self = .conflict(settings, time: time)
            case .refused(let reason): self = .refused(reason: reason, settings)
            }
        }
    }
}

/// The limit on an account's changes of its settings, each of which waits for the disk.
package enum SettingsRate {
    /// The most changes in an hour.
    package static let perHour = 240

    /// The steps in which changes count at a moment.
    package static func steps(at now: WallTime) -> RateSteps { RateSteps(.seconds(3600), at: now) }

    /// The wait for the next change; `nil` if it need not wait.
    package static func wait(after use: MemoUse, at now: WallTime) -> Milliseconds? {
        guard use.memos >= perHour else { return nil }
        return steps(at: now).window.wait(afterOldest: use.oldest)
    }
}
