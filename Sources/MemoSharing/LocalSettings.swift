import MemoCore
import MemoKit
import MemoSyncCore
import MemoTexts
import WireCore

/// The settings as the programs of this device use them, under the names of the shared ones.
///
/// They stand in the box and the folder, where sending finds them without the shared records.
struct LocalSettings: Hashable {
    private let settings: MemoSettings
    private let language: Language?
    private let coversText: Bool

    init(in box: MemoBox) throws(MemoError) {
        settings = try box.settings()
        language = box.folder.chosenLanguage
        coversText = box.folder.coversText
    }

    /// The value; empty for a setting that has its default.
    subscript(setting: SharedSetting) -> [UInt8] {
        switch setting {
        case .language: language?.tag.bytes ?? []
        case .subject: Array((settings.templateSource ?? "").utf8)
        case .signature: settings.signature.text
        case .overlay: coversText ? [] : Self.noOverlay
        }
    }

    private static let noOverlay = Array("off".utf8)

    /// A shared value as this device would have it: two values that mean the same are equal.
    static func normal(_ value: [UInt8], of setting: SharedSetting) -> [UInt8] {
        setting == .overlay && value != noOverlay ? [] : value
    }

    /// Sets a value on this device, unless a person has changed the settings since these were read.
    ///
    /// - Returns: `false` for a value that this build cannot use, and after a change by a person. Nothing
    ///   is changed then.
    func adopt(_ value: [UInt8], for setting: SharedSetting, in box: MemoBox) throws(MemoError)
        -> Bool
    {
        switch setting {
        case .language:
            let chosen = Language(tag: value)
            guard chosen != nil || value.isEmpty else { return false }
            return try box.folder.chooseLanguage(chosen, replacing: language)
        case .overlay:
            return try box.folder.coverText(value != Self.noOverlay, replacing: coversText)
        case .subject:
            return try adopt(in: box) { (settings) throws(MemoError) in
                try settings.setSubjectTemplate(String(decoding: value, as: UTF8.self))
            }
        case .signature:
            return try adopt(in: box) { (settings) throws(MemoError) in
                try settings.setSignature(String(decoding: value, as: UTF8.self))
            }
        }
    }

    private func adopt(
        in box: MemoBox,
        _ change: (inout MemoSettings) throws(MemoError) -> Void
    ) throws(MemoError) -> Bool {
        var changed = settings
        do {
            try change(&changed)
        } catch {
            // A value of a later build, or a longer one: this device keeps its own.
            return false
        }
        return try box.setSettings(changed, replacing: settings)
    }
}
