import NIOCore
import NIOPosix

/// A client's connection that sends and receives bytes as a test asks for, HTTP or not.
struct RawConnection: Sendable {
    private let sent: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let received: NIOAsyncChannelInboundStream<ByteBuffer>

    /// Opens a connection to this machine for the time of `body`.
    static func open<Value>(
        to port: Int,
        _ body: (RawConnection) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { received, sent in
            try await body(RawConnection(sent: sent, received: received))
        }
    }

    func send(_ text: String) async throws {
        try await sent.write(ByteBuffer(string: text))
    }

    func finishSending() {
        sent.finish()
    }

    /// The bytes until the server ends the connection, one way or the other. Called once.
    func readToEnd() async -> String {
        var bytes = ByteBuffer()
        do {
            for try await part in received { bytes.writeImmutableBuffer(part) }
        } catch {
            // A reset is an end, too.
        }
        return String(buffer: bytes)
    }

    /// The bytes until they hold `count` heads of answers, or the connection ends. Called once.
    func readAnswers(_ count: Int) async throws -> String {
        var text = ""
        for try await part in received {
            text += String(buffer: part)
            if text.components(of: "HTTP/1.1 ") >= count { break }
        }
        return text
    }

    /// The bytes until the server ends the connection. Runs `body` when they hold `count` heads of
    /// answers. Called once.
    @discardableResult
    func readToEnd(
        after count: Int,
        _ body: () async throws -> Void
    ) async throws -> String {
        var text = ""
        var isAnswered = false
        for try await part in received {
            text += String(buffer: part)
            guard !isAnswered, text.components(of: "HTTP/1.1 ") >= count else { continue }
            isAnswered = true
            try await body()
        }
        return text
    }

    /// Sends a piece every 20 ms, and reads nothing, until the server has closed the connection.
    func sendUntilClosed(_ piece: String) async {
        do {
            while true {
                try await send(piece)
                try await Task.sleep(for: .milliseconds(20))
            }
        } catch {
            // The system refuses bytes for a closed connection.
        }
    }

    /// Sends a piece every 20 ms until the server ends the connection; returns the received bytes.
    func drip(_ piece: String) async -> String {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { await readToEnd() }
            group.addTask {
                do {
                    while true {
                        try await send(piece)
                        try await Task.sleep(for: .milliseconds(20))
                    }
                } catch {
                    // The connection has ended, or the reader has seen the end.
                    return nil
                }
            }
            var text = ""
            for await result in group {
                guard let result else { continue }
                text = result
                group.cancelAll()
            }
            return text
        }
    }
}

extension String {
    /// The number of times that another text occurs.
    func components(of other: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: other) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
