public import MemoTexts

/// An error with a sentence for a person, in the person's language.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// A sentence or two that say what failed, whether the memo is safe, and what to do. Never the
    /// person's text, an address, a token or a code.
    func sentence(in language: Language) -> String
}

extension ExplainedError {
    /// The sentence in English, for logs and programs.
    public var description: String { sentence(in: .english) }
}
