import MemoCore
import OutboxCore

extension MemoBox {
    private static let settingsDocument = SealedDocument<StoredSettings>(
        table: "memo_settings",
        kind: .settings,
        damaged: .settingsDamaged
    )

    /// The person's settings; the standard settings where none are stored.
    ///
    /// - Throws: ``MemoError/wrongKey(_:)`` when they were sealed with another key than the present
    ///   one; ``MemoError/settingsDamaged`` when no key will open them.
    public func settings() throws(MemoError) -> MemoSettings {
        var settings = MemoSettings()
        guard let stored = try Self.settingsDocument.value(in: self) else { return settings }
        do {
            try settings.setSubjectTemplate(stored.subjectTemplate ?? "")
            try settings.setSignature(stored.signature ?? "")
        } catch {
            throw .settingsDamaged
        }
        return settings
    }

    /// The settings for sending: the standard ones where the stored ones do not open.
    /// ``settings()`` throws then; a memo matters more than its subject.
    func settingsForSending() throws(MemoError) -> MemoSettings {
        do {
            return try settings()
        } catch .settingsDamaged, .wrongKey {
            return MemoSettings()
        }
    }

    /// Stores settings, sealed, in place of the former ones.
    public func setSettings(_ settings: MemoSettings) throws(MemoError) {
        let signature = String(decoding: settings.signature.text, as: UTF8.self)
        let stored = StoredSettings(
            subjectTemplate: settings.templateSource,
            signature: signature.isEmpty ? nil : signature
        )
        try Self.settingsDocument.store(stored, in: self)
    }
}

/// The settings as they are sealed.
private struct StoredSettings: Codable {
    var subjectTemplate: String?
    var signature: String?
}
