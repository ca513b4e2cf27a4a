import Hummingbird
import HummingbirdCore
import NIOCore

/// Leads accepted connections to their event loops by one step.
///
/// The way that servers of NIO and Hummingbird have for them changes five times between the server's
/// event loop and the connection's, each time behind all that the loop has to do, and begins a task. A
/// flood makes each of these steps a wait for honest people.
///
/// Two handlers of the server: this one takes a connection before the server's own handlers for it, and
/// ``Registrar``, the last one, gives it to the server's channel, which registers it.
final class Entrance: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// The last handler of a server.
    final class Registrar: ChannelInboundHandler {
        typealias InboundIn = any Channel
        typealias InboundOut = any Channel

        fileprivate var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
    }

    private let registrar: Registrar
    private let setUp: @Sendable (any Channel) throws -> Void

    private init(registrar: Registrar, setUp: @escaping @Sendable (any Channel) throws -> Void) {
        self.registrar = registrar
        self.setUp = setUp
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        guard let last = registrar.context else { return connection.close(promise: nil) }
        connection.eventLoop.execute { [setUp] in
            do {
                try setUp(connection)
            } catch {
                // The client has gone.
                connection.close(promise: nil)
            }
        }
        // Registers the connection on its event loop, behind what was just given to it.
        last.fireChannelRead(data)
    }

    /// Adds the two handlers, on the server's event loop. Connections that were accepted before go the long
    /// way.
    ///
    /// - Parameter setUp: Adds handlers to a connection, on the connection's event loop.
    /// - Throws: For a server of another kind than NIO's.
    static func add(
        to server: ChannelPipeline.SynchronousOperations,
        setUp: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let accepting = try server.context(name: "AcceptHandler").handler
        let registrar = Registrar()
        try server.addHandler(registrar, position: .last)
        try server.addHandler(
            Entrance(registrar: registrar, setUp: setUp),
            position: .before(accepting)
        )
    }
}

extension RelayChannel {
    /// Leads the connections of a server that listens here, see ``Entrance``.
    func lead(from server: any Channel) async throws {
        try await server.eventLoop.submit {
            try Entrance.add(to: server.pipeline.syncOperations, setUp: setUp)
        }.get()
    }
}
