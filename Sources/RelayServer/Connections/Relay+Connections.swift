import Hummingbird
import HummingbirdCore
import LibC
import NIOCore

extension Relay {
    /// The connections of an HTTP/1.1 server, which keep the bounds.
    ///
    /// - Parameters:
    ///   - responder: Answers the requests that are let in.
    ///   - gate: Refuses requests before they are routed; `nil` for a server that refuses none.
    func channel<Responder: HTTPResponder>(
        _ connections: OpenConnections,
        responder: Responder,
        gate: RequestGate?
    ) -> RelayChannel<Responder> where Responder.Context == RelayContext {
        let bounds = configuration.connectionBounds
        return RelayChannel(
            bounds: bounds,
            connections: connections,
            dropped: DroppedBytes(perSecond: bounds.droppedPerSecond),
            gate: gate,
            answers: RequestAnswers(responder: responder, clock: clock, logger: logger)
        )
    }
}

extension RelayChannel {
    /// A server with these connections.
    var server: HTTPServerBuilder { HTTPServerBuilder { _ in self } }
}

extension ConnectionBounds {
    /// Bounds the bytes that the system receives for each connection that a server will accept.
    func boundUnread(of server: any Channel) async throws {
        try await server.setOption(
            ChannelOptions.socketOption(.so_rcvbuf),
            value: SocketOptionValue(unreadLength)
        ).get()
    }
}

extension OpenConnections {
    /// Lets the server go on accepting when the system has no more open files for it: closes the
    /// idlest connections and tries again soon.
    ///
    /// Without this handler, the one that every server channel has waits for a second, and closes
    /// nothing.
    func guardAccepting(on server: any Channel) async throws {
        try await server.eventLoop.submit {
            try server.pipeline.syncOperations.addHandler(
                AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { error in
                    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
                        // The client has gone before its connection was accepted.
                        return nil
                    }
                    self.makeRoom()
                    return .milliseconds(50)
                },
                position: .first
            )
        }.get()
    }
}
