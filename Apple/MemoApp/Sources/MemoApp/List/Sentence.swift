import MemoCore
import MemoCourier
import MemoKit
import MemoTexts

/// A sentence for a person, which is put into words when it is shown.
enum Sentence: Hashable, Sendable {
    case text(AppText)
    /// A text with a value for `{1}`.
    case filled(AppText, String)
    /// A text of the terminal's, with a value for `{1}`.
    case command(CommandText, String)
    case device(MemoError)
    case trouble(RelayTrouble)

    func words(in language: Language) -> String {
        switch self {
        case .text(let text): language.string(text)
        case .filled(let text, let value): language.string(text, value)
        case .command(let text, let value): language.string(text, value)
        case .device(let error): error.sentence(in: language)
        case .trouble(let trouble): trouble.sentence(in: language)
        }
    }
}
