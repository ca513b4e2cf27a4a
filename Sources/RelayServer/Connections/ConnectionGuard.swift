import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Keeps a connection within its bounds, and tells ``OpenConnections`` when it is idle.
///
/// The states of a connection, and the event that leads from one to the next:
///
/// | state | bytes are received | ends with |
/// |---|---|---|
/// | waiting for a request | yes | a request's header |
/// | the request is begun | only after ``BodyRequested`` | the request's end, or an early answer |
/// | the request is received | no, so that requests sent in advance take no memory | the answer's end |
/// | draining | yes, and dropped, as ``DroppedBytes`` lets | the client closes, or a bound is reached |
/// | turned away by ``RequestGate`` | no | the answer, after a pause; a moment later where the body is missing |
///
/// An answer before the request's end carries `Connection: close`. Its client may still be sending,
/// and would lose the answer if the relay closed at once
/// ([RFC 9112, section 9.6](https://www.rfc-editor.org/rfc/rfc9112#section-9.6)): the relay closes
/// its own direction, and drops the bytes that follow.
///
/// The time of a header is bounded by the idle time (``ReceivedBytes``, `HTTPConnectionStateHandler`),
/// the time of a body that is read by its reader (`Request.json`), everything else here.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let bounds: ConnectionBounds
    private let connections: OpenConnections
    private let received: ReceivedBytes
    private let dropped: DroppedBytes
    private var progress = RequestProgress()
    private let gate: RequestGate?
    private var isTurnedAway = false
    private var isReadHeld = false
    private var deadline: Scheduled<Void>?
    private var nextDrop: Scheduled<Void>?
    private var nextAnswer: Scheduled<Void>?
    /// The end of the answer to a request that is turned away.
    private var lastWrite: EventLoopFuture<Void>?
    /// Whether a request that is turned away has ended.
    private var isWholeHere = false

    init(
        bounds: ConnectionBounds,
        connections: OpenConnections,
        received: ReceivedBytes,
        dropped: DroppedBytes,
        gate: RequestGate? = nil
    ) {
        self.bounds = bounds
        self.connections = connections
        self.received = received
        self.dropped = dropped
        self.gate = gate
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        nextDrop?.cancel()
        nextAnswer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !progress.isDraining else { return }
        guard !isTurnedAway else {
            // The whole request came with its header: nothing of it is unread.
            if case .end = unwrapInboundIn(data) {
                isWholeHere = true
                closeAfterAnswer(context)
            }
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            received.requestBegun()
            if let gate, let answer = gate.answer(to: head, from: context.remoteAddress) {
                return turnAway(context, head, with: answer)
            }
            if progress.requestBegun() { connections.changed(context.channel, isBusy: true) }
        case .body:
            break
        case .end:
            progress.requestEnded()
            received.count = 0
            close(context, after: bounds.answer)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The handlers that would read are waiting for a reader of what is dropped.
        if progress.isDraining { dropMore(context) }
    }

    /// Answers a request that nobody else sees after a pause, and ends the connection. Drops its body
    /// unread.
    private func turnAway(
        _ context: ChannelHandlerContext,
        _ head: HTTPRequest,
        with answer: RequestGate.Answer
    ) {
        isTurnedAway = true
        // A next part of the request is not looked at.
        received.isDropping = true
        // An answer now would come before those of earlier requests.
        guard progress.isIdle else { return context.close(promise: nil) }
        connections.turnedAway(context.channel)
        let isBodyDue = head.method != .head
        let pause = BackgroundSenders.pause
        nextAnswer = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
            if isBodyDue { context.write(wrapOutboundOut(.body(answer.body)), promise: nil) }
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
            lastWrite = written.futureResult
            // Unless the request ends meanwhile. A client that still sends would lose the answer if
            // the relay closed at once.
            close(context, after: bounds.turnedAway)
            if isWholeHere { closeAfterAnswer(context) }
        }
    }

    private func closeAfterAnswer(_ context: ChannelHandlerContext) {
        lastWrite?.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    /// Receives more bytes to drop, once ``DroppedBytes`` lets.
    private func dropMore(_ context: ChannelHandlerContext) {
        if dropped.count(received.takeDropped()) { return context.read() }
        nextDrop = context.eventLoop.assumeIsolated().scheduleTask(in: DroppedBytes.pause) {
            self.dropMore(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        // While draining only `dropMore` reads: a reader of the body that still waits would have all
        // of it received.
        guard !isTurnedAway, !progress.isDraining else { return }
        if progress.mayReceive {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext,
        event: Any,
        promise: EventLoopPromise<Void>?
    ) {
        guard event is BodyRequested else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        progress.bodyRequested()
        resume(context)
        promise?.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Not HTTP: the rest of the request never comes.
        progress.requestBroken()
        context.fireErrorCaught(error)
    }

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if progress.answerBegun() {
                head.headerFields[.connection] = "close"
                close(context, after: bounds.drain)
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenSuccess { self.answered(context) }
            context.write(data, promise: written)
        }
    }

    private func answered(_ context: ChannelHandlerContext) {
        progress.requestAnswered()
        guard !progress.isDraining else {
            connections.turnedAway(context.channel)
            received.isDropping = true
            context.close(mode: .output, promise: nil)
            dropMore(context)
            return
        }
        if progress.isIdle {
            deadline?.cancel()
            connections.changed(context.channel, isBusy: false)
        } else {
            close(context, after: bounds.answer)
        }
        resume(context)
    }

    private func resume(_ context: ChannelHandlerContext) {
        guard isReadHeld, progress.mayReceive else { return }
        isReadHeld = false
        context.read()
    }

    /// Closes the connection when the time has passed, unless another time is set before.
    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            context.close(promise: nil)
        }
    }
}

/// How far the requests of a connection are. Events come in, and answers to questions go out.
struct RequestProgress: Equatable {
    /// The requests that have begun, and whose answers have not been written.
    private var unanswered = 0
    /// Whether the last request that has begun has not ended.
    private var isReceiving = false
    private var isBodyRequested = false
    private var isBroken = false
    /// Whether the connection ends with the answer that was begun last.
    private var isLastAnswer = false
    /// Whether that answer has been written.
    private(set) var isDraining = false

    var isIdle: Bool { unanswered == 0 }

    var mayReceive: Bool {
        isDraining || unanswered == 0 || isReceiving && isBodyRequested && unanswered == 1
    }

    /// - Returns: Whether the connection was idle.
    mutating func requestBegun() -> Bool {
        unanswered += 1
        isReceiving = true
        isBodyRequested = false
        return unanswered == 1
    }

    /// The reader of the first unanswered request asks for its body.
    mutating func bodyRequested() {
        if unanswered == 1, isReceiving { isBodyRequested = true }
    }

    mutating func requestEnded() {
        isReceiving = false
    }

    mutating func requestBroken() {
        isBroken = true
    }

    /// - Returns: Whether the answer comes before the end of its request, and ends the connection.
    mutating func answerBegun() -> Bool {
        isLastAnswer = isBroken || isReceiving && unanswered == 1
        return isLastAnswer
    }

    mutating func requestAnswered() {
        isDraining = isLastAnswer
        unanswered = max(0, unanswered - 1)
    }
}
