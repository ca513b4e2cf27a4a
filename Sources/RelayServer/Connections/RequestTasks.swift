import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// The last handler of a connection: has each of its requests answered by a task of its own, one after
/// the other.
///
/// | state | ends with |
/// |---|---|
/// | waiting | a request's head, once all that came with it is here |
/// | answering, with the rest of the body or without | the answer |
/// | ended | the end of the connection |
///
/// The tasks run on the connection's event loop: a request that is refused after a look at the database
/// changes no thread. Those of ``BackgroundSenders`` run on a ``BackgroundThread``. A body that has arrived
/// with its head is one buffer. Another one is received once it is read (``RequestedBody``), and no faster
/// than it is read.
final class RequestTasks<Responder: HTTPResponder>: ChannelDuplexHandler, RemovableChannelHandler
where Responder.Context == RelayContext {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        case waiting
        /// With the rest of the request's body, unless it has ended.
        case answering(ArrivingBody?)
        case ended
    }

    private let answers: RequestAnswers<Responder>
    private let running: RunningRequests
    private let gate: RequestGate?
    private var state = State.waiting
    /// Parts of requests whose turn has not come.
    private var parts = CircularBuffer<HTTPRequestPart>()
    /// The reason why no further request can be read.
    private var failure: (any Error)?
    private var isInputClosed = false
    private var isReadHeld = false

    init(
        answers: RequestAnswers<Responder>,
        running: RunningRequests,
        gate: RequestGate?
    ) {
        self.answers = answers
        self.running = running
        self.gate = gate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch state {
        case .ended: break
        case .waiting, .answering(nil): parts.append(part)
        case .answering(let body?):
            switch part {
            case .body(let bytes): body.arrived(bytes)
            case .end, .head: endBody()
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        advance(context)
        context.fireChannelReadComplete()
    }

    /// Begins the next request, if it is its turn.
    private func advance(_ context: ChannelHandlerContext) {
        guard case .waiting = state else { return }
        guard let first = parts.popFirst() else { return end(context) }
        guard case .head(let head) = first else {
            state = .ended
            return context.close(promise: nil)
        }
        var body = ByteBuffer()
        while let part = parts.popFirst() {
            guard case .body(let bytes) = part else {
                state = .answering(nil)
                let request = Request(head: head, body: RequestBody(buffer: body))
                return begin(request, hasWholeBody: true, context)
            }
            body.writeImmutableBuffer(bytes)
        }
        let (loop, bound) = (context.eventLoop, bound(context))
        let rest = ArrivingBody(on: context.channel) {
            loop.execute { bound.value.tasks.resumeReading(bound.value.context) }
        }
        state = .answering(rest)
        if body.readableBytes > 0 { rest.arrived(body) }
        if failure != nil || isInputClosed { endBody() }
        begin(Request(head: head, body: rest.body), hasWholeBody: false, context)
    }

    private func begin(
        _ request: Request,
        hasWholeBody: Bool,
        _ context: ChannelHandlerContext
    ) {
        running.begun()
        let loop = context.eventLoop
        let names = gate?.names(of: request.head, from: context.remoteAddress)
        switch names.flatMap({ gate?.standing(of: $0) }) {
        case nil, .atOnce:
            start(request, hasWholeBody: hasWholeBody, names, on: EventLoopTasks(loop), context)
        case .inBackground:
            start(request, hasWholeBody: hasWholeBody, names, on: BackgroundThread.senders, context)
        case .inBackgroundAfterPause:
            let pause = BackgroundSenders.pause
            loop.assumeIsolated().scheduleTask(in: pause) { [self] in
                // The client may have gone.
                guard case .answering = state else { return running.ended() }
                let executor = BackgroundThread.senders
                start(request, hasWholeBody: hasWholeBody, names, on: executor, context)
            }
        }
    }

    private func start(
        _ request: Request,
        hasWholeBody: Bool,
        _ names: BackgroundSenders.Names?,
        on executor: any TaskExecutor,
        _ context: ChannelHandlerContext
    ) {
        let isLast = request.headers[.connection] == "close"
        let (channel, loop, bound) = (context.channel, context.eventLoop, bound(context))
        Task(executorPreference: executor) { [answers, running, gate] in
            let answer = await answers.answer(
                to: request,
                hasWholeBody: hasWholeBody,
                on: channel
            )
            if let names { gate?.answered(names, with: answer.head.status) }
            loop.execute {
                bound.value.tasks.write(answer, isLast: isLast, bound.value.context)
                running.ended()
            }
        }
    }

    private func bound(
        _ context: ChannelHandlerContext
    ) -> NIOLoopBound<(tasks: RequestTasks, context: ChannelHandlerContext)> {
        NIOLoopBound((self, context), eventLoop: context.eventLoop)
    }

    private func write(
        _ answer: RequestAnswers<Responder>.Answer,
        isLast: Bool,
        _ context: ChannelHandlerContext
    ) {
        guard case .answering(let rest) = state else { return }
        // An answer before the end of its request, or to one that is not HTTP, ends the connection.
        let endsConnection = isLast || rest != nil || failure != nil
        if rest != nil { endBody() }
        state = endsConnection ? .ended : .waiting
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        for part in answer.body { context.write(wrapOutboundOut(.body(part)), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isLast {
            context.close(mode: .output, promise: nil)
        } else {
            advance(context)
        }
    }

    /// Nothing is left to answer: ends a connection whose client sends nothing more.
    private func end(_ context: ChannelHandlerContext) {
        if failure != nil {
            state = .ended
            let head = HTTPResponse(
                status: .badRequest,
                headerFields: [.connection: "close", .contentLength: "0"]
            )
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else if isInputClosed {
            state = .ended
            context.close(mode: .output, promise: nil)
        }
    }

    private func endBody() {
        guard case .answering(let body?) = state else { return }
        body.ended(with: failure)
        state = .answering(nil)
    }

    func read(context: ChannelHandlerContext) {
        if case .answering(let body?) = state, body.isFull {
            isReadHeld = true
        } else {
            context.read()
        }
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        if case .answering(let body?) = state { body.isFull = false }
        guard isReadHeld else { return }
        isReadHeld = false
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputClosed = true
            endBody()
            advance(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = failure ?? error
        endBody()
        if error is HTTPParserError {
            advance(context)
        } else {
            state = .ended
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endBody()
        state = .ended
        parts.removeAll()
    }
}

/// The rest of a request's body, which arrives while the request has a task.
private final class ArrivingBody {
    private typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark,
        Reader
    >

    /// The task that reads the body.
    private struct Reader: NIOAsyncSequenceProducerDelegate {
        let hasRead: @Sendable () -> Void

        func produceMore() { hasRead() }
        func didTerminate() {}
    }

    let body: RequestBody
    private let source: Producer.Source
    /// Whether the task has not read enough of what has arrived.
    var isFull = false

    /// - Parameter hasRead: Called by the task when it has read enough for more to arrive.
    init(on channel: any Channel, hasRead: @escaping @Sendable () -> Void) {
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10),
            finishOnDeinit: true,
            delegate: Reader(hasRead: hasRead)
        )
        source = made.source
        body = RequestBody(
            asyncSequence: RequestedBody(
                body: RequestBody(asyncSequence: made.sequence),
                connection: channel
            )
        )
    }

    func arrived(_ bytes: ByteBuffer) {
        if case .stopProducing = source.yield(bytes) { isFull = true }
    }

    /// - Parameter failure: `nil` for a body that is whole, or whose client has gone.
    func ended(with failure: (any Error)?) {
        if let failure {
            source.finish(failure)
        } else {
            source.finish()
        }
    }
}

/// Runs tasks on an event loop.
private final class EventLoopTasks: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
