import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The HTTP/1.1 connections of a relay. A connection has no more than it has used: a counter of bytes
/// when it is accepted, a parser with its first bytes, a task with its first request that is let in.
/// So a connection or a request that is refused costs little.
struct RelayChannel<Responder: HTTPResponder>: ServerChildChannel
where Responder.Context == RelayContext {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let bounds: ConnectionBounds
    let connections: OpenConnections
    let dropped: DroppedBytes
    let gate: RequestGate?
    let answers: RequestAnswers<Responder>

    /// For a connection that ``Entrance`` does not lead here.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try setUp(channel)
            return Value(channel: channel)
        }
    }

    /// Adds the first handler to a connection, on the connection's event loop.
    func setUp(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(
            ReceivedBytes(bounds: bounds, connections: connections) {
                try addHandlers(after: $1, to: $0.pipeline.syncOperations)
            }
        )
    }

    /// Each request has a task of its own, see ``RequestTasks``.
    func handle(value: Value, logger: Logger) async {}

    private func addHandlers(
        after received: ReceivedBytes,
        to pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = bounds.headerFieldLength
        limits.maxHeaderListSize = bounds.headerLength
        limits.maxHeaderFieldCount = bounds.headerFieldCount
        try pipeline.configureHTTPServerPipeline(
            // A request waits for the answers to earlier ones in ``RequestTasks``.
            withPipeliningAssistance: false,
            // The same answers a request that is not HTTP.
            withErrorHandling: false,
            // The types of header fields admit nothing that would need it.
            withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits
        )
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(
            ConnectionGuard(
                bounds: bounds,
                connections: connections,
                received: received,
                dropped: dropped,
                gate: gate
            )
        )
        try pipeline.addHandler(
            HTTPConnectionStateHandler(
                idleTimeout: .nanoseconds(bounds.idle.nanoseconds),
                logger: answers.logger
            )
        )
        try pipeline.addHandler(
            RequestTasks(
                answers: answers,
                running: connections.requests,
                gate: gate
            )
        )
    }
}
