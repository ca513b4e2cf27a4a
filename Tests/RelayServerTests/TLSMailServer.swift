import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// A mail server with TLS, on a port of this machine, that takes every mail.
final class TLSMailServer: Sendable {
    /// The beginning of TLS.
    enum Beginning: Sendable {
        case atOnce
        /// After `STARTTLS`, with what is sent in plain behind its answer.
        case startTLS(injected: String = "")
    }

    /// A line of the client, and whether TLS protected it.
    struct Line: Hashable, Sendable {
        let text: String
        let isProtected: Bool
    }

    fileprivate struct Conduct: Sendable {
        let beginning: Beginning
        /// The extensions in the answer to `EHLO` in TLS; in plain there is `STARTTLS`.
        let extensions: [String]
        let context: NIOSSLContext
    }

    fileprivate final class Notebook: Sendable {
        let lines = Mutex<[Line]>([])
        let messages = Mutex<[String]>([])
    }

    private let channel: any Channel
    private let notebook: Notebook

    /// The certificate of the authority that has signed the server's one, which is for `localhost`.
    static var authority: NIOSSLTrustRoots {
        get throws {
            .certificates([
                try NIOSSLCertificate(bytes: Array(TLSIdentity.authority.utf8), format: .pem)
            ])
        }
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var lines: [Line] { notebook.lines.withLock { $0 } }
    var messages: [String] { notebook.messages.withLock { $0 } }

    init(_ beginning: Beginning, offering extensions: [String] = []) async throws {
        let certificate = try NIOSSLCertificate(
            bytes: Array(TLSIdentity.certificate.utf8),
            format: .pem
        )
        let key = try NIOSSLPrivateKey(bytes: Array(TLSIdentity.key.utf8), format: .pem)
        let conduct = Conduct(
            beginning: beginning,
            extensions: extensions,
            context: try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: [.certificate(certificate)],
                    privateKey: .privateKey(key)
                )
            )
        )
        let notebook = Notebook()
        self.notebook = notebook
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if case .atOnce = beginning {
                        try pipeline.addHandler(NIOSSLServerHandler(context: conduct.context))
                    }
                    try pipeline.addHandler(Conversation(conduct, notebook))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit {
        channel.close(promise: nil)
    }
}

/// One connection.
private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let conduct: TLSMailServer.Conduct
    private let notebook: TLSMailServer.Notebook
    private var unread = ""
    private var isProtected = false
    private var isInData = false

    init(_ conduct: TLSMailServer.Conduct, _ notebook: TLSMailServer.Notebook) {
        self.conduct = conduct
        self.notebook = notebook
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .startTLS = conduct.beginning { send("220 test", context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            isProtected = true
            if case .atOnce = conduct.beginning { send("220 test", context) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unread += String(buffer: unwrapInboundIn(data))
        while let end = unread.firstRange(of: isInData ? "\r\n.\r\n" : "\r\n") {
            let text = String(unread[..<end.lowerBound])
            unread = String(unread[end.upperBound...])
            answer(text, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ text: String, _ context: ChannelHandlerContext) {
        guard !isInData else {
            isInData = false
            notebook.messages.withLock { $0.append(text) }
            return send("250 taken", context)
        }
        let line = TLSMailServer.Line(text: text, isProtected: isProtected)
        notebook.lines.withLock { $0.append(line) }
        switch text.split(separator: " ").first ?? "" {
        case "EHLO":
            let lines = ["test"] + (isProtected ? conduct.extensions : ["STARTTLS"])
            for line in lines.dropLast() { send("250-\(line)", context) }
            send("250 \(lines.last ?? "")", context)
        case "STARTTLS": startTLS(context)
        case "AUTH" where text.hasSuffix("PLAIN") || text.hasSuffix("LOGIN"): send("334 ", context)
        case "AUTH": send("235 welcome", context)
        case "DATA":
            isInData = true
            send("354 go on", context)
        case "QUIT":
            send("221 bye", context)
            context.close(promise: nil)
        case "dXNlcg==": send("334 ", context)
        case "cGFzc3dvcmQ=": send("235 welcome", context)
        default: send("250 ok", context)
        }
    }

    private func startTLS(_ context: ChannelHandlerContext) {
        guard case .startTLS(let injected) = conduct.beginning else { return }
        send("220 go on\r\n" + injected, context, end: "")
        let handler = NIOSSLServerHandler(context: conduct.context)
        try? context.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    private func send(_ text: String, _ context: ChannelHandlerContext, end: String = "\r\n") {
        let buffer = context.channel.allocator.buffer(string: text + end)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
}
