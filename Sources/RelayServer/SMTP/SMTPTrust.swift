import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The rules by which the certificate of a mail server is judged: TLS 1.2 or later, an authority of the
/// system's store, the server's name.
///
/// The store is read when TLS is first needed, away from the event loops, and again a day later: an
/// authority that the system has learnt meanwhile needs no start of the relay.
final class SMTPTrust: Sendable {
    private struct Made {
        let context: NIOSSLContext
        let time: NIODeadline
    }

    private static let age = TimeAmount.hours(24)
    private let roots: NIOSSLTrustRoots
    private let made = Mutex<Made?>(nil)

    init(_ roots: NIOSSLTrustRoots) {
        self.roots = roots
    }

    /// The rules for a connection.
    ///
    /// - Returns: Fails where the store of the system cannot be read.
    func context(on loop: any EventLoop) -> EventLoopFuture<NIOSSLContext> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try self.context() }
    }

    private func context() throws -> NIOSSLContext {
        try made.withLock { made in
            let now = NIODeadline.now()
            if let made, now - made.time < Self.age { return made.context }
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            configuration.trustRoots = roots
            configuration.shutdownTimeout = .seconds(1)
            let context = try NIOSSLContext(configuration: configuration)
            made = Made(context: context, time: now)
            return context
        }
    }

    /// The handler that speaks TLS with a server.
    ///
    /// - Parameter host: The server's name, or an IP address, which has to be in the certificate.
    static func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}
