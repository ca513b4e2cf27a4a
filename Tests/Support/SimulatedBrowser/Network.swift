import WebClient

/// The other side of the exchanges of pages and workers.
package protocol Network: AnyObject {
    /// Takes a request.
    ///
    /// - Parameter answered: Called once, or never if the page is dead by then.
    func take(
        _ request: NetworkRequest,
        of page: Page,
        _ answered: @escaping (Result<NetworkAnswer, NetworkFailure>) -> Void
    )
}

/// A request that the host sends for a page.
package struct NetworkRequest {
    package let method: String
    package let path: String
    package let token: String
    package let body: [UInt8]
    /// A header field that makes the request conditional; empty for none.
    package let condition: (name: String, value: String)
    package let bounds: ExchangeBounds
}

/// The limits of one exchange.
package struct ExchangeBounds: Equatable {
    /// In milliseconds.
    package let time: UInt32
    /// In bytes.
    package let answerLength: UInt32
}

/// A whole answer, in the parts that the host reads.
package struct NetworkAnswer: Sendable {
    package let status: Int
    package let contentType: [UInt8]
    package let retryAfter: [UInt8]
    package let rateLimit: [UInt8]
    package let date: [UInt8]
    package let relayTime: [UInt8]
    package let relayVersion: [UInt8]
    package let body: [UInt8]

    package init(
        status: Int,
        contentType: [UInt8] = [],
        retryAfter: [UInt8] = [],
        rateLimit: [UInt8] = [],
        date: [UInt8] = [],
        relayTime: [UInt8] = [],
        relayVersion: [UInt8] = [],
        body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.rateLimit = rateLimit
        self.date = date
        self.relayTime = relayTime
        self.relayVersion = relayVersion
        self.body = body
    }

    func write(to writer: inout BorderWriter) {
        writer.number(UInt32(status))
        for field in [
            contentType, retryAfter, rateLimit, date, relayTime, relayVersion, body,
        ] { writer.block(field) }
    }
}

/// The end of an exchange without an answer, by the name of the host's error.
package enum NetworkFailure: String, Error {
    /// Nothing answered.
    case unreachable = "TypeError"
    /// No answer came in time.
    case timedOut = "AbortError"
}
