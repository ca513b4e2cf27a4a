public import MemoCore

/// An error that a person is told of, in their language.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// What happened, whether the memo is safe, what to do: in a sentence or two, without what the
    /// person wrote, an address, a token or a code.
    func sentence(in language: Language) -> String

    /// How a process ends that met this error.
    var exitStatus: ExitStatus { get }
}

extension ExplainedError {
    /// The sentence in English, for logs and programs.
    public var description: String { sentence(in: .english) }
}
