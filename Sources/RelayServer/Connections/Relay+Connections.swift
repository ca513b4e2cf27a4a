import Hummingbird
import HummingbirdCore
import LibC
import NIOCore

extension Relay {
    /// The HTTP/1.1 server whose connections keep the bounds.
    ///
    /// - Parameter gate: Refuses requests before they are routed; `nil` for a server that refuses none.
    func server(_ connections: OpenConnections, gate: RequestGate?) -> HTTPServerBuilder {
        let bounds = configuration.connectionBounds
        let dropped = DroppedBytes(perSecond: bounds.droppedPerSecond)
        return .http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    ConnectionGuard(
                        bounds: bounds,
                        connections: connections,
                        dropped: dropped,
                        gate: gate
                    )
                ],
                idleTimeout: bounds.idle,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: bounds.headerFieldLength,
                    maxHeaderListSize: bounds.headerLength,
                    maxHeaderFieldCount: bounds.headerFieldCount
                )
            )
        )
    }
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
