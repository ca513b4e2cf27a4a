import NIOCore

/// The first handler of a connection, and its only one until bytes arrive.
///
/// Counts the bytes, and closes a connection that sends too many for one request: the parts of HTTP tell
/// neither chunk extensions nor empty lines. Adds the other handlers with the first bytes, so that a
/// connection that sends none costs little more than its socket.
final class ReceivedBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let bounds: ConnectionBounds
    private let connections: OpenConnections
    /// Adds the handlers that follow; `nil` once they are there.
    private var addHandlers: ((any Channel, ReceivedBytes) throws -> Void)?
    private var firstRequest: Scheduled<Void>?
    /// The bytes since the last request ended.
    var count = 0
    /// Whether what arrives is dropped here, before anybody reads HTTP in it.
    var isDropping = false
    private var droppedCount = 0

    init(
        bounds: ConnectionBounds,
        connections: OpenConnections,
        addHandlers: @escaping (any Channel, ReceivedBytes) throws -> Void
    ) {
        self.bounds = bounds
        self.connections = connections
        self.addHandlers = addHandlers
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let options = context.channel.syncOptions
            // The answer to a request is due also when its client sends nothing more.
            try options?.setOption(.allowRemoteHalfClosure, value: true)
            try options?.setOption(.maxMessagesPerRead, value: 1)
            try options?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 1024,
                    initial: 2048,
                    maximum: bounds.readLength
                )
            )
        } catch {
            // The client has closed the connection already.
            context.close(promise: nil)
            return
        }
        connections.opened(context.channel)
        firstRequest = context.eventLoop.assumeIsolated().scheduleTask(in: bounds.idle) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        firstRequest?.cancel()
        connections.closed(context.channel)
    }

    /// The head of the first request has arrived in time.
    func requestBegun() {
        firstRequest?.cancel()
        firstRequest = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let length = unwrapInboundIn(data).readableBytes
        count += length
        guard count <= bounds.requestLength else {
            context.close(promise: nil)
            return
        }
        guard !isDropping else {
            droppedCount += length
            return
        }
        if let addHandlers {
            self.addHandlers = nil
            do {
                try addHandlers(context.channel, self)
            } catch {
                context.close(promise: nil)
                return
            }
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isUnused = addHandlers != nil
        // Nobody else would end a connection without a request.
        if isUnused, event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// - Returns: The bytes that were dropped since the last call.
    func takeDropped() -> Int {
        defer { droppedCount = 0 }
        return droppedCount
    }
}
