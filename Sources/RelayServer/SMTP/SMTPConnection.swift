import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import OutboxCore

/// A connection to a mail server: performs the actions of its ``SMTPMachine``, and tells it the events of
/// its channel. Belongs to one event loop, on which all but its handle is called.
final class SMTPConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The time for a server's answer to `QUIT`.
    private static let farewell = TimeAmount.seconds(5)

    private let server: MailServer
    private let trust: SMTPTrust
    private weak var connections: SMTPConnections?
    private let loop: any EventLoop
    private let openedAt = NIODeadline.now()
    /// The handle that others know the connection by; `nil` once it is closed.
    private var handle: Handle?
    private var machine: SMTPMachine
    private var delivery: SMTPDelivery?
    private var context: ChannelHandlerContext?

    private var actions = CircularBuffer<SMTPMachine.Action>()
    private var isPerforming = false

    /// The end of the machine's wait.
    private var waitEnd = NIODeadline.distantFuture
    private var timer: (end: NIODeadline, task: Scheduled<Void>)?

    /// - Parameters:
    ///   - server: The server to reach.
    ///   - trust: The rules for its certificate.
    ///   - name: The domain by which this side says hello.
    ///   - connections: Takes the connection back behind each mail.
    ///   - loop: The event loop of the connection, and of this call.
    init(
        _ server: MailServer,
        trust: SMTPTrust,
        name: String,
        connections: SMTPConnections,
        on loop: any EventLoop
    ) {
        self.server = server
        self.trust = trust
        self.connections = connections
        self.loop = loop
        let settings = SMTPMachine.Settings(
            security: server.security,
            credentials: server.credentials,
            mostMails: server.reuse.mails
        )
        machine = SMTPMachine(settings, name: name)
        handle = Handle(self, openedAt: openedAt)
    }

    /// Reaches the server, and hands a mail over.
    func open(for delivery: SMTPDelivery) {
        perform([.wait(.connection)])
        take(delivery)
        guard handle != nil else { return }
        guard server.security == .implicit else { return connect(nil) }
        withBound(trust.context(on: loop)) { connection, context in
            switch context {
            case .success(let context): connection.connect(context)
            case .failure: connection.tell { $0.unreachable("smtp.tls") }
            }
        }
    }

    /// Takes a mail, also where the connection has ended meanwhile: the mail then goes to another one.
    private func take(_ delivery: SMTPDelivery) {
        self.delivery = delivery
        let isCancelled = delivery.isCancelled(carriedBy: handle)
        tell { $0.take(delivery.mail) }
        if isCancelled { cancel(delivery) }
        if handle != nil { setTimer() }
    }

    private func cancel(_ delivery: SMTPDelivery) {
        guard self.delivery === delivery else { return }
        tell { $0.cancelled() }
    }

    /// Ends the connection, which waits for no further mail.
    private func retire() {
        tell { $0.retired() }
    }
}

// MARK: The channel

extension SMTPConnection {
    /// The server's name or address, without the brackets of an IPv6 address.
    private var host: String {
        server.host.hasPrefix("[") ? String(server.host.dropFirst().dropLast()) : server.host
    }

    /// - Parameter tls: The rules of TLS where it is first; `nil` for a connection that begins in plain.
    private func connect(_ tls: NIOSSLContext?) {
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(server.connectTimeout))
        withBound(bootstrap.connect(host: host, port: server.port)) { connection, channel in
            switch channel {
            case .success(let channel): connection.adopt(channel, tls)
            case .failure(let error): connection.tell { $0.unreachable(Self.reason(error)) }
            }
        }
    }

    private func adopt(_ channel: any Channel, _ tls: NIOSSLContext?) {
        let pipeline = channel.pipeline.syncOperations
        do {
            if let tls { try pipeline.addHandler(SMTPTrust.handler(tls, host: host)) }
        } catch {
            channel.close(promise: nil)
            return tell { $0.unreachable("smtp.tls") }
        }
        do {
            try pipeline.addHandler(self)
        } catch {
            channel.close(promise: nil)
            tell { $0.unreachable("smtp.connection") }
        }
    }

    private static func reason(_ error: any Error) -> ReasonCode {
        switch error {
        case let error as NIOConnectionError:
            if error.connectionErrors.isEmpty { return "smtp.resolve" }
            return error.connectionErrors.contains { $0.error is ChannelError }
                ? "smtp.timeout" : "smtp.connect"
        case is ChannelError: return "smtp.timeout"
        default: return "smtp.connect"
        }
    }

    private func startTLS() {
        withBound(trust.context(on: loop)) { connection, made in
            guard let context = connection.context else { return }
            do {
                let handler = try SMTPTrust.handler(made.get(), host: connection.host)
                try context.pipeline.syncOperations.addHandler(handler, position: .first)
            } catch {
                connection.tell { $0.lost() }
            }
        }
    }

    /// Has a future's result be told to this connection.
    private func withBound<Value: Sendable>(
        _ future: EventLoopFuture<Value>,
        _ body: @escaping @Sendable (SMTPConnection, Result<Value, any Error>) -> Void
    ) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        future.hop(to: loop).whenComplete { body(bound.value, $0) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let isActive = context.channel.isActive
        tell { isActive ? $0.connected() : $0.lost() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        tell { $0.received(bytes.readableBytesView) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { tell { $0.secured() } }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        tell { $0.lost() }
        context.fireChannelInactive()
    }

    /// What TLS finds wrong is in no log: it may quote the server.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        tell { $0.lost() }
    }
}

// MARK: The machine

extension SMTPConnection {
    /// Tells the machine an event, and performs its actions.
    private func tell(_ event: (inout SMTPMachine) -> [SMTPMachine.Action]) {
        let next = event(&machine)
        perform(next)
    }

    /// Performs actions in their order, also where performing one leads to further events.
    private func perform(_ next: [SMTPMachine.Action]) {
        actions.append(contentsOf: next)
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while let action = actions.popFirst() { perform(action) }
    }

    private func perform(_ action: SMTPMachine.Action) {
        switch action {
        case .write(let bytes): write(bytes)
        case .writeText(let chunk): write(chunk)
        case .startTLS: startTLS()
        case .wait(let wait): begin(wait)
        case .finish(let outcome): takeDelivery()?.finish(outcome)
        case .handBack: handBack()
        case .offer: offer()
        case .close: close()
        }
    }

    private func write(_ bytes: [UInt8]) {
        guard let context else { return }
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    private func write(_ chunk: SMTPText.Chunk) {
        guard let context else { return }
        // Room for some dots: a text with many has the buffer grow.
        var buffer = context.channel.allocator.buffer(capacity: chunk.range.count + 64)
        chunk.forEachPiece { buffer.writeBytes($0) }
        guard !chunk.isLast else {
            return context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        }
        withBound(context.writeAndFlush(wrapOutboundOut(buffer))) { connection, written in
            // What could not be written ends the connection, which is told by itself.
            if case .success = written { connection.tell { $0.textFlushed() } }
        }
    }

    private func takeDelivery() -> SMTPDelivery? {
        defer { delivery = nil }
        return delivery
    }

    private func handBack() {
        guard let delivery = takeDelivery() else { return }
        guard let connections else { return delivery.finish(.tryLater("smtp.connection")) }
        connections.carryOnNew(delivery)
    }

    private func offer() {
        guard machine.isReady else { return }
        guard let connections, let handle, connections.takeBack(handle) else { return retire() }
    }

    /// - Returns: `false` where a mail is on its way to this connection.
    @discardableResult
    private func forget() -> Bool {
        guard let connections, let handle else { return true }
        return connections.forget(handle)
    }

    private func close() {
        forget()
        handle = nil
        timer?.task.cancel()
        timer = nil
        context?.close(promise: nil)
    }
}

// MARK: Time

extension SMTPConnection {
    private func begin(_ wait: SMTPMachine.Wait) {
        let now = NIODeadline.now()
        waitEnd =
            switch wait {
            case .connection: openedAt + TimeAmount(server.connectTimeout)
            case .handshake: now + TimeAmount(server.connectTimeout)
            case .answer: now + TimeAmount(server.responseTimeout)
            case .verdict: .distantFuture
            case .verdictAfterCancellation: now + TimeAmount(StopTimes.answer)
            case .nextMail: now + TimeAmount(server.reuse.idle)
            case .farewell: now + Self.farewell
            }
        setTimer()
    }

    private var nextEnd: NIODeadline { min(waitEnd, delivery?.deadline ?? .distantFuture) }

    /// Has the timer come at the next end, or before: waits that end in time, one after the other, set it
    /// once.
    private func setTimer() {
        let end = nextEnd
        if let timer {
            guard timer.end > end else { return }
            timer.task.cancel()
            self.timer = nil
        }
        guard end < .distantFuture else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        timer = (end, loop.scheduleTask(deadline: end) { bound.value.timerCame() })
    }

    private func timerCame() {
        timer = nil
        let now = NIODeadline.now()
        if let delivery, delivery.deadline <= now {
            tell { $0.mailExpired() }
        } else if waitEnd <= now {
            endWait()
        }
        if handle != nil { setTimer() }
    }

    private func endWait() {
        // A mail that is on its way to a waiting connection ends the wait.
        guard !machine.isReady || forget() else { return }
        tell { $0.waitedTooLong() }
    }
}

// MARK: The handle

extension SMTPConnection {
    /// A connection as any thread may name it.
    final class Handle: Sendable {
        let openedAt: NIODeadline
        private let connection: NIOLoopBound<SMTPConnection>
        private let loop: any EventLoop

        fileprivate init(_ connection: SMTPConnection, openedAt: NIODeadline) {
            self.openedAt = openedAt
            loop = connection.loop
            self.connection = NIOLoopBound(connection, eventLoop: connection.loop)
        }

        /// Has the connection carry a mail, as soon as its event loop has time.
        func carry(_ delivery: SMTPDelivery) {
            loop.execute { self.connection.value.take(delivery) }
        }

        /// Ends the delivery, if the connection still carries it.
        func cancel(_ delivery: SMTPDelivery) {
            loop.execute { self.connection.value.cancel(delivery) }
        }

        /// Ends the connection with `QUIT`, if it waits for a mail.
        func retire() {
            loop.execute { self.connection.value.retire() }
        }
    }
}
