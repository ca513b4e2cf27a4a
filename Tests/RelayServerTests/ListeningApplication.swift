import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

extension ApplicationProtocol {
    /// Runs the application's server on a free port of this machine while a test runs.
    ///
    /// - Parameter body: The test. Each request of its client has a connection of its own.
    /// - Throws: The test's error; the error of a server that cannot listen or cannot stop.
    func listening<Value>(
        _ body: (ApplicationClient) async throws -> Value
    ) async throws -> Value {
        try await listeningOnPort { try await body(ApplicationClient(port: $0)) }
    }

    /// Runs the application's server on a free port of this machine while a test runs.
    ///
    /// - Parameter body: The test, with the port.
    /// - Throws: The test's error; the error of a server that cannot listen or cannot stop.
    func listeningOnPort<Value>(_ body: (Int) async throws -> Value) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = ServiceGroup(
            configuration: .init(
                services: [ListeningApplication(base: self, port: port)],
                logger: logger
            )
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await server.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.waitForAll()
                throw ConnectionFault.serverEnded
            }
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body(port))
            } catch {
                outcome = .failure(error)
            }
            await server.triggerGracefulShutdown()
            let value = try outcome.get()
            try await group.waitForAll()
            return value
        }
    }
}

/// Listens on a free port instead of the configured address, and yields the port.
private struct ListeningApplication<Base: ApplicationProtocol>: ApplicationProtocol {
    let base: Base
    let port: AsyncStream<Int>.Continuation

    var responder: Base.Responder { get async throws { try await base.responder } }
    var server: HTTPServerBuilder { base.server }
    var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }
    var logger: Logger { base.logger }
    var services: [any Service] { base.services }
    var processesRunBeforeServerStart: [@Sendable () async throws -> Void] {
        base.processesRunBeforeServerStart
    }

    var configuration: ApplicationConfiguration {
        var configuration = base.configuration
        configuration.address = .hostname("127.0.0.1", port: 0)
        return configuration
    }

    func onServerRunning(_ channel: any Channel) async {
        await base.onServerRunning(channel)
        if let number = channel.localAddress?.port { port.yield(number) }
        port.finish()
    }
}

/// A fault of a connection to a listening application.
private enum ConnectionFault: Error {
    case serverEnded
    case answerIncomplete
}

extension ApplicationClient {
    /// A client of a server on this machine.
    fileprivate init(port: Int) {
        self.init { request, body in
            let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                            wrappingChannelSynchronously: channel
                        )
                    }
                }
            return try await connection.executeThenClose { answer, sent in
                try await sent.write(.head(HTTPRequestHead(request)))
                if let body { try await sent.write(.body(.byteBuffer(body))) }
                try await sent.write(.end(nil))
                return try await ApplicationAnswer(answer)
            }
        }
    }
}

extension ApplicationAnswer {
    /// The answer that arrives in parts.
    fileprivate init(_ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>) async throws {
        var head: HTTPResponse?
        var body = ByteBuffer()
        for try await part in parts {
            switch part {
            case .head(let arrived): head = try HTTPResponse(arrived)
            case .body(let chunk): body.writeImmutableBuffer(chunk)
            case .end:
                guard let head else { throw ConnectionFault.answerIncomplete }
                self.init(head: head, body: body)
                return
            }
        }
        throw ConnectionFault.answerIncomplete
    }
}

extension HTTPRequestHead {
    fileprivate init(_ request: HTTPRequest) {
        self.init(
            version: .http1_1,
            method: HTTPMethod(rawValue: request.method.rawValue),
            uri: request.path ?? "/",
            headers: HTTPHeaders(
                [("Host", request.authority ?? "localhost")]
                    + request.headerFields.map { ($0.name.rawName, $0.value) }
            )
        )
    }
}

extension HTTPResponse {
    fileprivate init(_ head: HTTPResponseHead) throws {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { throw ConnectionFault.answerIncomplete }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            status: Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            headerFields: fields
        )
    }
}
