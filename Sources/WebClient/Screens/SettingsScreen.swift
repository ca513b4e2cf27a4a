import MemoCore
import MemoTexts
import OutboxCore
import StoreCore

/// The settings screen. A change is stored at once.
final class SettingsScreen {
    private let context: AppContext

    init(context: AppContext) {
        self.context = context
    }

    func restore(_ bytes: [UInt8]?) {
        guard let bytes else { return }
        context.change { $0.settings = Settings(decoding: bytes) }
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
        change { $0.subject = source }
    }

    func chose(signature text: [UInt8]) {
        do throws(SignatureTooLong) {
            let signature = try Signature(text)
            context.endComplaint()
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
        var settings = context.store.state.settings
        body(&settings)
        guard settings != context.store.state.settings else { return }
        context.change { $0.settings = settings }
        context.keep(.settings, settings.encoded(), .strict) { failure in
            guard failure == nil else { return self.context.say(.settingsNotSaved, tone: .error) }
            self.context.say(.settingsSaved)
            self.context.host.ring(.account)
        }
    }
}
