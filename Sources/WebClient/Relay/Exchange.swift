import MemoCore
import WireCore

/// The end of one exchange with the relay that served the page.
enum Exchange {
    /// A complete answer: from the relay, or from a proxy or portal in between.
    case answered(RelayAnswer)
    case failed(RelayFailure)

    init(_ answer: Answer) {
        switch answer {
        case .failed(let name): self = .failed(RelayFailure(hostError: name))
        case .done(let reader):
            let status = Int(reader.number())
            let contentType = reader.block()
            let retryAfter = reader.block()
            let rateLimit = reader.block()
            let date = reader.block()
            let (relayTime, relayVersion) = (reader.block(), reader.block())
            self = .answered(
                RelayAnswer(
                    status: status,
                    contentType: contentType,
                    retryAfter: retryAfter,
                    rateLimit: rateLimit,
                    date: date,
                    relayTime: relayTime,
                    relayVersion: relayVersion,
                    body: reader.block()
                )
            )
        }
    }
}

extension RelayFailure {
    /// - Parameter name: The name of the host's error. A browser does not tell a server without
    ///   trust from one that cannot be reached.
    init(hostError name: [UInt8]) {
        self =
            switch name {
            case "AbortError": .timedOut
            case "RangeError": .answerTooLong
            default: .unreachable
            }
    }
}
