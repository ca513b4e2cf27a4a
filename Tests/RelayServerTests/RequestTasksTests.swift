import HTTPTypes
import Hummingbird
import LibC
import NIOCore
import NIOEmbedded
import OutboxCore
import Synchronization
import Testing

@testable import RelaySQLite
@testable import RelayServer

/// What a connection has, and how its requests get their answers. Where an answer would never come, a
/// test hangs.
@Suite("A relay's connection", .timeLimit(.minutes(60)))
struct RequestTasksTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private static let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func post(_ body: String, count: Int? = nil) -> String {
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count ?? body.utf8.count)\r\n\r\n"
            + body
    }

    /// A connection of a server whose requests a function answers.
    private func connected<Value>(
        _ connections: OpenConnections = OpenConnections(maximum: 16),
        isLedIn: Bool = true,
        gate: RequestGate? = nil,
        answering answer: @escaping @Sendable (Request, RelayContext) async throws -> String,
        _ body: (RawConnection) async throws -> Value
    ) async throws -> Value {
        let responder = CallbackResponder { (request: Request, context: RelayContext) in
            let text = try await answer(request, context)
            return Response(
                status: .ok,
                body: ResponseBody(byteBuffer: ByteBuffer(string: text))
            )
        }
        let relay = try fixture.open()
        let channel = relay.channel(connections, responder: responder, gate: gate)
        let application = Application(
            responder: responder,
            server: channel.server,
            onServerRunning: { server in
                guard isLedIn else { return }
                do {
                    try await channel.lead(from: server)
                } catch {
                    Issue.record(error)
                }
            },
            logger: fixture.log.logger("server")
        )
        return try await application.listeningOnPort { port in
            try await RawConnection.open(to: port, body)
        }
    }

    @Test("has a counter of bytes alone until bytes arrive, and no task before a request")
    func lazily() throws {
        let isAsked = Mutex(false)
        let responder = CallbackResponder { (_: Request, _: RelayContext) in
            isAsked.withLock { $0 = true }
            return Response(status: .ok)
        }
        let relay = try fixture.open()
        let connections = OpenConnections(maximum: 16)
        let server = relay.channel(connections, responder: responder, gate: nil)
        let channel = EmbeddedChannel()
        _ = try server.setup(channel: channel, logger: relay.logger).wait()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let pipeline = channel.pipeline.syncOperations
        #expect(!connections.isEmpty && connections.requests.isEmpty)
        #expect(throws: ChannelPipelineError.notFound) {
            _ = try pipeline.handler(type: ConnectionGuard.self)
        }
        try channel.writeInbound(ByteBuffer(string: String(Self.get.dropLast())))
        channel.embeddedEventLoop.run()
        _ = try pipeline.handler(type: ConnectionGuard.self)
        #expect(!isAsked.withLock { $0 })
        try channel.writeInbound(ByteBuffer(string: "\r\n"))
        channel.embeddedEventLoop.run()
        #expect(isAsked.withLock { $0 })
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("is closed by a stop before its first bytes")
    func stopped() throws {
        let relay = try fixture.open()
        let connections = OpenConnections(maximum: 16)
        let channel = EmbeddedChannel(
            handler: ReceivedBytes(
                bounds: relay.configuration.connectionBounds,
                connections: connections
            ) { _, _ in }
        )
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive && connections.isEmpty)
    }

    @Test(
        "has its requests answered on its event loop, also after they waited for another thread",
        arguments: [true, false]
    )
    func onTheLoop(isLedIn: Bool) async throws {
        let answer = try await connected(isLedIn: isLedIn) { _, context in
            let before = context.connection.eventLoop.inEventLoop
            try await Task.sleep(for: .milliseconds(1))
            return "\(before) \(context.connection.eventLoop.inEventLoop)"
        } _: { connection in
            try await connection.send(Self.get)
            connection.finishSending()
            return await connection.readToEnd()
        }
        #expect(answer.hasSuffix("true true"))
    }

    #if os(Linux)
        @Test("has requests of a background sender answered by a thread that runs behind others")
        func behindOthers() async throws {
            let gate = RequestGate(
                rates: RequestRates(perSecond: 100),
                source: RequestSource(trustedProxies: 0),
                metrics: RelayMetrics(),
                policy: ""
            )
            gate.background.refused(.init(token: "Bearer a", nil), at: .now())
            func niceness(of token: String) async throws -> CInt {
                let get = Self.get.dropLast() + "Authorization: Bearer \(token)\r\n\r\n"
                let answer = try await connected(gate: gate) { _, _ in
                    // Also after the request waited for another thread.
                    try await Task.sleep(for: .milliseconds(1))
                    return "\(getpriority(.init(PRIO_PROCESS.rawValue), 0))"
                } _: { connection in
                    try await connection.send(String(get))
                    connection.finishSending()
                    return await connection.readToEnd()
                }
                let text = try #require(answer.split(separator: "\r\n").last)
                return try #require(CInt(text))
            }
            let ofOthers = try await niceness(of: "b")
            let begun = ContinuousClock.now
            let behind = try await niceness(of: "a")
            #expect(behind == min(19, ofOthers + 10))
            let pause = Duration.nanoseconds(BackgroundSenders.pause.nanoseconds)
            #expect(ContinuousClock.now - begun >= pause)
        }
    #endif

    @Test("does not reach the server's own handlers for it, whose every step is a wait")
    func ledIn() throws {
        let server = EmbeddedChannel()
        let seen = Mutex(0)
        let isSetUp = Mutex(false)
        final class Accepting: ChannelInboundHandler {
            typealias InboundIn = any Channel
            let seen: () -> Void
            init(_ seen: @escaping () -> Void) { self.seen = seen }
            func channelRead(context: ChannelHandlerContext, data: NIOAny) { seen() }
        }
        try server.pipeline.syncOperations.addHandler(
            Accepting { seen.withLock { $0 += 1 } },
            name: "AcceptHandler"
        )
        try Entrance.add(to: server.pipeline.syncOperations) { _ in
            isSetUp.withLock { $0 = true }
        }
        let connection = EmbeddedChannel(loop: server.embeddedEventLoop)
        server.pipeline.fireChannelRead(connection as any Channel)
        server.embeddedEventLoop.run()
        #expect(isSetUp.withLock { $0 } && seen.withLock { $0 } == 0)
        // The server's channel gets it, which registers it.
        let registered = try server.readInbound(as: (any Channel).self)
        #expect(registered === connection)
    }

    @Test("tells the date, and the length of the answer")
    func fields() async throws {
        let answer = try await connected { _, _ in
            "12345"
        } _: { connection in
            try await connection.send(Self.get)
            connection.finishSending()
            return await connection.readToEnd().lowercased()
        }
        let date = HTTPDate.text(fixture.clock.now).lowercased()
        #expect(answer.contains("\r\ndate: \(date)\r\n"))
        #expect(answer.contains("\r\ncontent-length: 5\r\n"))
        #expect(HTTPDate.text(.init(millisecondsSinceEpoch: 784_111_777_000)).hasSuffix(" GMT"))
    }

    @Test("gives a request the body that came with it, and one that comes in parts, in its order")
    func bodies() async throws {
        let answer = try await connected { request, context in
            var text = context.hasWholeBody ? "whole " : ""
            for try await part in request.body { text += String(buffer: part) }
            return "<\(text)>"
        } _: { connection in
            try await connection.send(post("body") + post("first ", count: 18))
            try await Task.sleep(for: .milliseconds(50))
            try await connection.send("second ")
            try await Task.sleep(for: .milliseconds(50))
            try await connection.send("third" + post("") + post("last"))
            connection.finishSending()
            return await connection.readToEnd()
        }
        let bodies = answer.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" } }
        #expect(bodies == ["whole body", "first second third", "whole ", "whole last"])
    }

    @Test("receives a body no faster than its request reads it")
    func unread() async throws {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let count = 64 << 20
        try await connected { request, _ in
            var parts = request.body.makeAsyncIterator()
            _ = try await parts.next()
            for await _ in turns { break }
            return "enough"
        } _: { connection in
            try await connection.send(post("", count: count))
            let sent = Mutex(0)
            async let sending: Void? = try? {
                let piece = String(repeating: " ", count: 1 << 20)
                for number in 1...count >> 20 {
                    try await connection.send(piece)
                    sent.withLock { $0 = number }
                }
            }()
            // What nobody reads stays with the client, but for the buffers of two sockets.
            try await Task.sleep(for: .milliseconds(500))
            #expect(sent.withLock { $0 } < count >> 21)
            turn.yield()
            #expect(try await connection.readAnswers(1).hasPrefix("HTTP/1.1 200 "))
            _ = await sending
        }
    }

    @Test("is not empty while a request has a task, though its client has gone")
    func running() async throws {
        let connections = OpenConnections(maximum: 16)
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        try await connected(connections) { _, _ in
            beginning.yield()
            for await _ in turns { break }
            return ""
        } _: { connection in
            try await connection.send(Self.get)
            for await _ in beginnings { break }
            connections.closeAll()
            _ = await connection.readToEnd()
            #expect(!connections.isEmpty)
            turn.yield()
            while !connections.isEmpty { await Task.yield() }
        }
    }
}
