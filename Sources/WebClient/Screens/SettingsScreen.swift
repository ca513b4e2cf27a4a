import MemoCore
import MemoSyncCore
import MemoTexts
import OutboxCore
import StoreCore
import SyncCore

/// The settings screen. A change is stored at once; of a person who is signed in, as a change of the
/// settings that all devices share.
final class SettingsScreen {
    private let context: AppContext
    private let shared: SharedRecords

    init(context: AppContext, shared: SharedRecords) {
        self.context = context
        self.shared = shared
    }

    func restore(_ bytes: [UInt8]?) {
        guard let bytes else { return }
        let shared = shared.fields(of: .settings) ?? []
        context.change { $0.settings = Settings(decoding: bytes).following(shared) }
    }

    func chose(language tag: [UInt8]) {
        change { $0.language = tag.isEmpty ? nil : Language(tag: tag) }
        showLanguage {}
    }

    /// Loads the texts of the language that is wanted, and shows them all at once.
    func showLanguage(_ then: @escaping () -> Void) {
        let language = context.store.state.language
        context.host.loadWords(language) { answer in
            if answer.isDone {
                if self.context.store.state.isShown { self.context.host.beginTransition() }
                self.context.change { $0.shownLanguage = language }
            } else {
                self.context.say(.relayUnreachable, tone: .error)
            }
            then()
        }
    }

    func chose(overlay value: [UInt8]) {
        change { $0.hasOverlay = !value.isEmpty }
    }

    /// - Parameter source: Empty for the standard template.
    func chose(subject source: [UInt8]) {
        do throws(SubjectTemplateError) {
            _ = try SubjectTemplate(source)
        } catch {
            return context.complain(Complaint(field: .subjectTemplate, text: error.text))
        }
        context.endComplaint()
        context.host.setValue(source, of: Element(.subjectTemplate))
        change { $0.subject = source }
    }

    func chose(signature text: [UInt8]) {
        do throws(SignatureTooLong) {
            let signature = try Signature(text)
            context.endComplaint()
            context.host.setValue(signature.text, of: Element(.signature))
            change { $0.signature = signature.text }
        } catch {
            context.complain(Complaint(field: .signature, text: error.text))
        }
    }

    /// Shows the subject that the present draft would get under the template as it is being
    /// written.
    func preview() {
        let host = context.host
        host.readValue(of: .memo) { memo in
            host.readValue(of: Element(.subjectTemplate)) { source in
                host.readDay { day in
                    let preview = Element(.subjectPreview)
                    guard let template = try? SubjectTemplate(source) else {
                        return host.setText([], of: preview)
                    }
                    let subject = SubjectRule(template: template).subject(
                        of: memo,
                        day: day,
                        id: self.context.clock.makeID()
                    ) { [$0.count] }
                    subject.isEmpty
                        ? host.setText([], of: preview)
                        : host.setText(.subjectPreview, [subject], of: preview)
                }
            }
        }
    }

    private func change(_ body: (inout Settings) -> Void) {
        let before = context.store.state.settings
        var settings = before
        body(&settings)
        guard settings != before else { return }
        context.change { $0.settings = settings }
        guard context.store.state.account.token != nil else { return keep(settings) }
        put(settings.fields(unlike: before)) { isStored in
            isStored
                ? self.context.say(.settingsSaved)
                : self.context.say(.settingsNotSaved, tone: .error)
        }
    }

    /// Shares the settings that were chosen here and that the account never had.
    func share() {
        let known = shared.fields(of: .settings) ?? []
        let fields = context.store.state.settings.fields(unlike: Settings())
            .filter { known[$0.name] == nil }
        if !fields.isEmpty { put(fields) { _ in } }
    }

    private func put(_ fields: [Field], _ then: @escaping (Bool) -> Void) {
        let now = context.clock.now
        shared.handle(.strict) { machine throws(SyncEditError) in
            // A change behind one that waits for the person would wait with it.
            for entry in machine.entries where entry.key == .settings {
                return try machine.edit(entry.change.id, fields, now: now)
            }
            return try machine.put(.settings, fields, now: now)
        } _: { outcome in
            guard case .done = outcome else { return then(false) }
            self.context.happened(.sharedEdited)
            then(true)
        }
    }

    // MARK: Changes that wait for the person

    func showUnsettled() {
        var unsettled: [UnsettledChange] = []
        for entry in shared.machine?.entries ?? [] { unsettled.append(change(entry)) }
        guard unsettled != context.store.state.unsettled else { return }
        context.change { $0.unsettled = unsettled }
    }

    /// The first field of the change in which the two differ, or its first one.
    private func change(_ entry: SyncEntry) -> UnsettledChange {
        let server = entry.server?.fields ?? []
        let met = entry.change.fields.first { server[$0.name]?.value != $0.value }
        let field = met ?? entry.change.fields.first
        let name: Name =
            switch field.flatMap({ SharedSetting(name: $0.name) }) {
            case .language: .language
            case .subject: .subjectTemplate
            case .signature: .signature
            case .overlay: .privacyOverlaySetting
            case nil: .none
            }
        return UnsettledChange(
            id: entry.change.id,
            field: name,
            mine: field?.value ?? entry.key.id,
            theirs: entry.reason == .conflict ? field.flatMap { server[$0.name]?.value } : nil
        )
    }

    /// Does with a change what the person has chosen.
    func settle(_ change: UnsettledChange, by part: Name) {
        if part == .edit { return context.host.focus(Element(change.field)) }
        let now = context.clock.now
        shared.handle(.strict) { machine throws(SyncEditError) in
            part == .retry
                ? try machine.tryAgain(change.id, now: now) : try machine.discard(change.id)
        } _: { outcome in
            if case .failed(let failure) = outcome {
                return self.context.say(failure.text, tone: .error)
            }
            // The button that had the focus is about to go.
            self.context.host.focus(Element(.settingsTitle))
            self.context.happened(.sharedEdited)
        }
    }

    /// Keeps settings that no account shares yet.
    private func keep(_ settings: Settings) {
        context.keep(.settings, settings.encoded(), .strict) { failure in
            guard failure == nil else { return self.context.say(.settingsNotSaved, tone: .error) }
            self.context.say(.settingsSaved)
            self.context.host.ring(.account)
        }
    }
}
