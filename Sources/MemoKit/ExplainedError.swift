public import MemoCore

/// An error with a sentence for a person, in the person's language.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// A sentence or two that say what failed, whether the memo is safe, and what to do. Never the
    /// person's text, an address, a token or a code.
    func sentence(in language: Language) -> String

    /// The exit status of a process that ends because of this error.
    var exitStatus: ExitStatus { get }
}

extension ExplainedError {
    /// The sentence in English, for logs and programs.
    public var description: String { sentence(in: .english) }
}

/// The exit statuses of `memo` and `memo-agent`, after `sysexits.h`.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Success. After sending: the memo is durably stored, whether or not it has left.
    case success = 0
    /// The command line was not understood.
    case usage = 64
    /// The memo, code, address or identifier given cannot be accepted.
    case badInput = 65
    /// The relay cannot be reached, or does not answer as a relay; nobody is signed in; there is no
    /// agent.
    case unavailable = 69
    /// The product itself failed.
    case internalError = 70
    /// The data folder cannot be made or written.
    case cannotCreate = 73
    /// The disk is full, or the database failed.
    case ioError = 74
    /// Another process holds a lock, or the relay asks to wait: the same command may succeed later.
    case temporaryFailure = 75
    /// The key cannot be used, or the relay refuses the device.
    case noPermission = 77
}
