import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Makes the whole answer to a request: that of the router, with a date.
struct RequestAnswers<Responder: HTTPResponder>: Sendable
where Responder.Context == RelayContext {
    /// An answer that is ready to be written.
    struct Answer: Sendable {
        let head: HTTPResponse
        let body: [ByteBuffer]
    }

    let responder: Responder
    let clock: WallClock
    let logger: Logger

    /// - Parameter hasWholeBody: Whether the whole body of the request has arrived.
    func answer(
        to request: Request,
        hasWholeBody: Bool,
        on channel: any Channel
    ) async -> Answer {
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        var context = RelayContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger)
        )
        context.hasWholeBody = hasWholeBody
        let body = AnswerBody()
        var response: Response
        do {
            response = try await responder.respond(to: request, context: context)
            try await response.body.write(body)
        } catch {
            logger.debug("request failed", metadata: ["error": "\(type(of: error))"])
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = HTTPDate.text(clock())
        return Answer(head: response.head, body: body.parts)
    }
}

/// Keeps the parts of an answer's body.
private final class AnswerBody: ResponseBodyWriter {
    private(set) var parts: [ByteBuffer] = []

    func write(_ buffer: ByteBuffer) {
        if buffer.readableBytes > 0 { parts.append(buffer) }
    }

    func finish(_: HTTPFields?) {}
}
