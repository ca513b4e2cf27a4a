import MemoKit
import MemoTexts

/// What the compose screen shows. The text itself is in the field; the state has only what the app
/// puts there.
struct ComposeState: Hashable, Sendable {
    /// A text that the app puts into the field: a restored draft, or nothing after a send.
    struct Placed: Hashable, Sendable {
        /// Counts the texts, so that an equal one is put there again.
        var number = 0
        var text = ""
    }

    var placed = Placed()
    var isFieldEmpty = true
    /// Whether the field has a visible character.
    var canSend = false
    /// How many memos were sent since the app started.
    var sent = 0
    var notice: ComposeNotice?
    /// Whether the system says that there is no network.
    var isOffline = false
    var language: Language

    /// Whether the empty field says what to do.
    var showsHint: Bool { isFieldEmpty && sent == 0 }
}

/// A sentence below the field, which VoiceOver speaks.
enum ComposeNotice: Hashable, Sendable {
    /// The answer to a send.
    case answer(AppText)
    /// A send failed: the text is still in the field.
    case notSent(AppText)
    /// A memo has waited for long. Said once for all memos that wait, until another one is late.
    case waiting
    /// A memo did not arrive, and the person has not seen that in the history.
    case notArrived
    /// The draft could not be saved.
    case draftNotSaved(MemoError)
    /// The draft of the last time, or the box itself, could not be read.
    case notRead(MemoError)

    /// Whether the sentence goes by itself.
    var isTimed: Bool {
        if case .answer = self { true } else { false }
    }

    func sentence(in language: Language) -> String {
        switch self {
        case .answer(let text), .notSent(let text): language.string(text)
        case .waiting: language.string(AppText.waitingLong)
        case .notArrived: language.string(AppText.notArrived)
        case .draftNotSaved(let error):
            language.string(CommandText.draftNotSaved, error.sentence(in: language))
        case .notRead(let error): error.sentence(in: language)
        }
    }
}
