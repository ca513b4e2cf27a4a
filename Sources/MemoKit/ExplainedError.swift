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

/// How `memo` and `memo-agent` end, after `sysexits.h`.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Done. For sending: the memo is durably stored, whether or not it has left already.
    case success = 0
    /// The command line was not understood.
    case usage = 64
    /// The memo, code, address or identifier given cannot be accepted.
    case badInput = 65
    /// The relay cannot be reached or does not answer as one; nobody is signed in; no agent.
    case unavailable = 69
    /// The product itself failed.
    case internalError = 70
    /// The data folder cannot be made or written.
    case cannotCreate = 73
    /// The disk is full, or the database failed.
    case ioError = 74
    /// Another process is in the way, or the relay asks to wait: the same again may succeed later.
    case temporaryFailure = 75
    /// The key, or the relay, does not let us.
    case noPermission = 77
}
