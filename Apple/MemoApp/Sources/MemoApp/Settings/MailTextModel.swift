import MemoKit
import MemoTexts
import Store

/// The template of the subject, or the signature, without a screen: a text is stored as it is typed,
/// where it is taken. Where it is not, the former one stays in use, and a sentence says why.
@MainActor
final class MailTextModel {
    let text: MailText
    let store = Store(MailTextState())
    private let parts: AppParts
    private let memo: @MainActor () -> String

    /// - Parameter memo: The text of which a preview shows the subject.
    init(_ text: MailText, _ parts: AppParts, memo: @escaping @MainActor () -> String) {
        self.text = text
        self.parts = parts
        self.memo = memo
    }

    /// Reads the stored text.
    func begin() {
        parts.box.later { box throws(MemoError) in
            try box.settings()
        } then: { [weak self, text] settings in
            guard let self else { return }
            switch settings {
            case .success(let settings):
                store.commit { $0.placed = text.text(of: settings) }
                preview(settings)
            case .failure(let error): store.commit { $0.complaint = .device(error) }
            }
        }
    }

    /// The person has changed the field.
    func edited(_ source: String) {
        var settings = MemoSettings()
        do throws(MemoError) {
            try text.set(source, in: &settings)
        } catch {
            return store.commit { $0.complaint = .device(error) }
        }
        store.commit { $0.complaint = nil }
        preview(settings)
        parts.box.later { [text] box throws(MemoError) in
            try box.changeSettings { settings throws(MemoError) in
                try text.set(source, in: &settings)
            }
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            // The text may have changed meanwhile, and not be taken.
            case .success:
                store.commit { $0.stored() }
                parts.deliveries.sharedChanged()
            case .failure: store.commit { $0.complaint = .text(.settingsNotSaved) }
            }
        }
    }

    private func preview(_ settings: MemoSettings) {
        guard text == .subject else { return }
        let subject = settings.subject(of: memo(), at: parts.clock.wallTime())
        store.commit { $0.preview = subject.isEmpty ? nil : subject }
    }
}
