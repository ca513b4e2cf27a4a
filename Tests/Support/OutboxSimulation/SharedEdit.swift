import MemoSyncCore
import OutboxTesting
import WebClient

/// A change of the settings, which all devices of the simulated person share.
struct SharedEdit: CustomStringConvertible {
    /// Looked for wherever nothing may be readable.
    static let canary = "nightingale"

    let setting: SharedSetting
    /// The value that the record gets. Unlike any other's, if it is written by hand.
    let value: String

    /// - Parameter isRefused: Whether the relay is to refuse it, as far as the setting has such values.
    init(number: Int, isRefused: Bool, _ random: inout SeededRandom) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            setting = .overlay
            value = random.isTrue(500) ? "on" : "off"
        case 1:
            setting = .language
            value = ["de", "en", "fr", "ja"].randomElement(using: &random)!
        default:
            setting = .subject
            value = "{line} \(Self.canary) \(number)\(isRefused ? Self.refusal : "")"
        }
    }

    private static let refusal = ", which no relay takes"

    /// Whether the relay refuses a value.
    static func isRefused(_ value: String) -> Bool { value.hasSuffix(refusal) }

    /// The element of the settings screen, and what it is set to.
    var choice: (element: Name, value: String) {
        switch setting {
        case .language: (.language, value)
        case .subject: (.subjectTemplate, value)
        case .signature: (.signature, value)
        case .overlay: (.privacyOverlaySetting, value == "on" ? value : "")
        }
    }

    var description: String { "sets \(setting) to \(value)" }
}

/// What all devices of a person share, as a device or the relay has it.
struct SharedFound: Hashable {
    /// The settings without those that were reset.
    let settings: [String: String]
    /// The devices that are signed in, in order.
    let devices: [String]
}
