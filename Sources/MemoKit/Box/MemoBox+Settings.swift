import MemoCore
import OutboxCore
import WireCore

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
        try Self.settingsDocument.store(StoredSettings(settings), in: self)
    }

    /// Stores settings in place of these, and does nothing if a person has changed them meanwhile.
    ///
    /// - Returns: Whether the settings were stored.
    package func setSettings(
        _ settings: MemoSettings,
        replacing former: MemoSettings
    ) throws(MemoError) -> Bool {
        let stored = try Self.settingsDocument.stored(in: self)
        guard stored?.value ?? StoredSettings(MemoSettings()) == StoredSettings(former) else {
            return false
        }
        return try Self.settingsDocument.store(
            StoredSettings(settings),
            replacing: stored?.id,
            in: self
        )
    }
}

/// The settings as they are sealed.
private struct StoredSettings: StoredDocument, Hashable {
    var subjectTemplate: String?
    var signature: String?

    init(_ settings: MemoSettings) {
        subjectTemplate = settings.templateSource
        let signature = String(decoding: settings.signature.text, as: UTF8.self)
        self.signature = signature.isEmpty ? nil : signature
    }

    init?(_ json: JSON) {
        for name in ["subjectTemplate", "signature"] as [StaticString] {
            switch json[name] {
            case nil, .null, .string: continue
            default: return nil
            }
        }
        subjectTemplate = json.text("subjectTemplate")
        signature = json.text("signature")
    }

    var json: JSON {
        var members: [(StaticString, JSON)] = []
        if let signature { members.append(("signature", .string(signature))) }
        if let subjectTemplate { members.append(("subjectTemplate", .string(subjectTemplate))) }
        return .object(members)
    }
}
