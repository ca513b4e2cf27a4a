import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

/// Sends requests to an application under test and returns the answers.
struct ApplicationClient: Sendable {
    /// Performs one exchange. The fields of the request are complete.
    private let exchange: @Sendable (HTTPRequest, ByteBuffer?) async throws -> ApplicationAnswer
    /// What each answer is compared with; `nil` for a client whose many answers would take too long.
    private let description: ServedDescription?

    /// A client whose requests reach the application by the given exchange.
    init(
        exchange: @escaping @Sendable (HTTPRequest, ByteBuffer?) async throws -> ApplicationAnswer
    ) {
        self.exchange = exchange
        description = .own
    }

    /// A client that calls a responder: no socket, no parser, no server.
    ///
    /// - Parameters:
    ///   - description: What each answer is compared with.
    ///   - chunks: The pieces in which a body arrives.
    init<Responder: HTTPResponder>(
        responder: Responder,
        logger: Logger,
        description: ServedDescription? = .own,
        chunks: @escaping @Sendable (ByteBuffer?) -> AsyncStream<ByteBuffer> = ApplicationClient
            .chunks(of:)
    ) where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        self.description = description
        let channel = NIOAsyncTestingChannel()
        exchange = { request, body in
            channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
            let source = ApplicationRequestContextSource(
                channel: channel,
                logger: logger
            )
            let request = Request(
                head: request,
                body: RequestBody(asyncSequence: chunks(body))
            )
            let response: Response
            do {
                response = try await responder.respond(
                    to: request,
                    context: Responder.Context(source: source)
                )
            } catch {
                response = Response(status: .internalServerError)
            }
            let written = WrittenBody()
            try await response.body.write(written)
            return ApplicationAnswer(head: response.head, body: written.bytes)
        }
    }

    /// Sends a request and returns the answer, which must be as the client's description says.
    ///
    /// - Parameters:
    ///   - uri: The path and the query.
    ///   - body: The request's body; `nil` for no body.
    ///   - declaresLength: Whether the request has a `Content-Length`. Over a socket, a body of
    ///     undeclared length is sent in chunks.
    ///   - authority: The `Host`.
    func execute(
        uri: String,
        method: HTTPRequest.Method,
        headers: HTTPFields = [:],
        body: ByteBuffer? = nil,
        declaresLength: Bool = true,
        authority: String = "localhost"
    ) async throws -> ApplicationAnswer {
        var headers = headers
        if let body, declaresLength { headers[.contentLength] = "\(body.readableBytes)" }
        let request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: authority,
            path: uri,
            headerFields: headers
        )
        let answer = try await exchange(request, body)
        for fault in description?.compare(method, uri, answer).faults ?? [] {
            Issue.record("/openapi.json does not say this: \(fault)")
        }
        return answer
    }

    /// The body in pieces of at most 32 KiB, as a connection delivers it.
    @Sendable static func chunks(of body: ByteBuffer?) -> AsyncStream<ByteBuffer> {
        AsyncStream { chunks in
            var rest = body ?? ByteBuffer()
            while let chunk = rest.readSlice(length: min(rest.readableBytes, 32 * 1024)),
                chunk.readableBytes > 0
            {
                chunks.yield(chunk)
            }
            chunks.finish()
        }
    }
}

/// An application's answer to a request.
struct ApplicationAnswer: Sendable {
    let head: HTTPResponse
    let body: ByteBuffer

    var status: HTTPResponse.Status { head.status }
    var headers: HTTPFields { head.headerFields }
}

/// Keeps the bytes of a response's body.
private final class WrittenBody: ResponseBodyWriter {
    private(set) var bytes = ByteBuffer()

    func write(_ buffer: ByteBuffer) {
        bytes.writeImmutableBuffer(buffer)
    }

    func finish(_: HTTPFields?) {}
}

/// How a test's requests reach an application.
enum ApplicationAccess {
    /// Straight to the router.
    case router
    /// By HTTP/1.1, over a socket, to the application's server.
    case live
}

extension ApplicationProtocol {
    /// Calls a test with a client of this application.
    func test<Value>(
        _ access: ApplicationAccess,
        _ body: (ApplicationClient) async throws -> Value
    ) async throws -> Value {
        switch access {
        case .router:
            precondition(
                services.isEmpty && processesRunBeforeServerStart.isEmpty,
                "nothing runs beside the router"
            )
            return try await body(ApplicationClient(responder: responder, logger: logger))
        case .live:
            return try await listening(body)
        }
    }
}
