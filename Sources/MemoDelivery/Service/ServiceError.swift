import LibC
import MemoKit
public import MemoProcesses
public import MemoTexts

/// A reason why the agent is not installed as a service, or not removed.
public enum ServiceError: EndingError, Hashable {
    /// A service file cannot carry this path or value.
    case unfit(String)
    /// The path is not of an installation.
    case foreign(String)
    /// The path cannot be read, written or removed; `code` is the system's `errno`.
    case failed(String, code: Int32)
    /// The environment names no home.
    case homeless

    public func sentence(in language: Language) -> String {
        switch self {
        case .unfit(let text): language.string(.serviceUnfit, text)
        case .foreign(let path): language.string(.serviceForeign, path)
        case .failed(let path, let code):
            language.string(.serviceFailed, path, systemMessage(code))
        case .homeless: MemoError.noDataFolder.sentence(in: language)
        }
    }

    public var exitStatus: ExitStatus { .cannotCreate }
}
