public import MemoCore
public import MemoKit
public import MemoTexts

extension RelayTrouble: ExplainedError {
    public func sentence(in language: Language) -> String {
        switch self {
        case .untrusted: language.string(CommandText.relayUntrusted)
        case .unreachable, .notARelay, .invalidAddress, .codeRejected, .handleMissing,
            .tooManyRequests,
            .relayFailed:
            String(decoding: language.text(text).filled(with: values), as: UTF8.self)
        }
    }
}
