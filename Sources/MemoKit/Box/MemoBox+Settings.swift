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
        try Self.settings(Self.settingsDocument.value(in: self))
    }

    private static func settings(_ stored: StoredSettings?) throws(MemoError) -> MemoSettings {
        var settings = MemoSettings()
        guard let stored else { return settings }
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

    /// Changes settings, and leaves as they are those that another process changes meanwhile.
    ///
    /// - Parameter change: Changes the settings that are stored. It is called again if another process has
    ///   stored settings since they were read.
    /// - Returns: The settings that are stored.
    /// - Throws: As ``settings()``, and what `change` throws. Nothing is changed then.
    @discardableResult
    public func changeSettings(
        _ change: (inout MemoSettings) throws(MemoError) -> Void
    ) throws(MemoError) -> MemoSettings {
        while true {
            let stored = try Self.settingsDocument.stored(in: self)
            var settings = try Self.settings(stored?.value)
            try change(&settings)
            let isStored = try Self.settingsDocument.store(
                StoredSettings(settings),
                replacing: stored?.id,
                in: self
            )
            if isStored { return settings }
        }
    }

    /// Stores settings, sealed, in place of the former ones, also of those that do not open. What another
    /// process changes meanwhile is lost: see ``changeSettings(_:)``.
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
