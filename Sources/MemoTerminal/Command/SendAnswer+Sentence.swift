public import MemoCore
import MemoKit
public import MemoTexts

extension SendAnswer.Prospect {
    /// The sentence of a terminal, which names commands in place of buttons.
    public func sentence(in language: Language) -> String {
        switch self {
        case .leaves: language.string(CommandText.saved)
        case .leavesSignedIn: language.string(CommandText.savedSignedOut)
        case .leavesSignedInAgain:
            language.string(.savedNotLeaving, language.string(CommandText.signedOutElsewhere))
        case .leavesOnline, .leavesWhenReached, .leavesLater, .kept: language.string(text)
        }
    }
}
