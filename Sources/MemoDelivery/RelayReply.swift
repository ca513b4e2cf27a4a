import MemoCore
import RelayAPI

/// An answer that arrived whole, from the relay or from a server in between.
package struct RelayReply: Hashable, Sendable {
    package var status: Int
    /// Media type in lower case, without parameters.
    var mediaType: String = ""
    var retryAfter: String?
    var date: String?
    var body: [UInt8] = []

    package init(
        status: Int,
        mediaType: String = "",
        retryAfter: String? = nil,
        date: String? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.mediaType = mediaType
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }

    /// The body as a `Value`, when this is a success of our relay. A captive portal answers 200,
    /// too.
    func success<Value: Decodable>(_: Value.Type) -> Value? {
        guard (200..<300).contains(status), mediaType == RelayMediaType.json else { return nil }
        return try? RelayJSON.decode(Value.self, from: body)
    }

    /// The problem that the relay states. `nil` for an answer that is not our relay's own: an
    /// error page of a proxy, a captive portal, a problem with a code that this build does not know.
    var problem: Problem? {
        guard mediaType == RelayMediaType.problem,
            let problem = try? RelayJSON.decode(Problem.self, from: body),
            problem.status == status, RelayProblem(problem) != nil
        else { return nil }
        return problem
    }
}

/// The reason for which there is no answer.
package enum RelayFailure: Error, Hashable, Sendable {
    /// There is no connection: no network, no such host, or no server on the port. Nothing was
    /// sent.
    case unreachable
    /// A limit of time is over. The relay may or may not have the request.
    case timedOut
    /// The connection broke. The relay may or may not have the request.
    case connectionLost
    /// The server's certificate is not trusted.
    case untrusted
    /// The answer is longer than a relay's longest.
    case answerTooLong
    /// The task was cancelled.
    case cancelled
}
