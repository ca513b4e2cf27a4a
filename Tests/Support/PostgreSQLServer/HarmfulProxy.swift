import Foundation
import Synchronization

/// A proxy before a ``PostgreSQLServer`` that does what networks and servers do to transactions that write:
/// it loses the answer to `COMMIT`, cuts connections, delays answers, and lets the server answer 40001.
///
/// Knows statements by their texts: clients do not prepare them. It ends with this object.
package final class HarmfulProxy {
    /// What is done to the transactions that write, by their numbers.
    package struct Harm: Sendable {
        /// Of so many transactions, one is rolled back: the server answers 40001 to its `COMMIT`. 0: none.
        package var conflictEvery = 0
        /// Of so many transactions, one is stored, and its connection ends without an answer. 0: none.
        package var loseAnswerEvery = 0
        /// Of so many transactions, one is lost: its connection ends before `COMMIT` is at the server. 0: none.
        package var cutEvery = 0
        /// The longest time for which an answer of the server is held up, in milliseconds.
        package var delay: UInt32 = 0

        /// No harm.
        package init() {}
    }

    /// The harms that were done.
    package struct Counts: Hashable, Sendable {
        package var commits = 0
        package var conflicts = 0
        package var lostAnswers = 0
        package var cuts = 0
    }

    private struct State: Sendable {
        var counts = Counts()
        var sockets: Set<Int32> = []
        var isEnded = false
    }

    /// What the threads share. It has no reference to the proxy, which ends them.
    private final class Shared: Sendable {
        let harm: Harm
        let server: String
        let state = Mutex(State())

        init(harm: Harm, server: String) {
            self.harm = harm
            self.server = server
        }
    }

    private enum Fate: Sendable { case forwarded, conflict, lostAnswer, cut }

    private let server: PostgreSQLServer
    private let shared: Shared
    private let listener: Int32
    private static let port = 6543

    /// - Parameters:
    ///   - server: The server. One proxy at a time stands before it.
    ///   - harm: What is done.
    package init(before server: PostgreSQLServer, _ harm: Harm) throws {
        self.server = server
        shared = Shared(harm: harm, server: "\(server.folder)/.s.PGSQL.\(server.port)")
        let listener = Self.newSocket()
        self.listener = listener
        let path = "\(server.folder)/.s.PGSQL.\(Self.port)"
        unlink(path)
        guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else {
            throw PostgreSQLServer.CannotStart(description: "the proxy cannot listen (\(errno))")
        }
        let shared = shared
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { Self.serve(client, shared) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        shared.state.withLock { state in
            state.isEnded = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// A connection string for a database of the server, by way of the proxy.
    package func address(of database: String) -> String {
        "host=\(server.folder) port=\(Self.port) user=memo dbname=\(database)"
    }

    package var counts: Counts { shared.state.withLock { $0.counts } }

    // MARK: Connections

    private static func newSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Forwards what a client sends, on this thread, and what the server answers, on another one.
    private static func serve(_ client: Int32, _ shared: Shared) {
        let server = newSocket()
        let isKnown = shared.state.withLock { state in
            guard !state.isEnded else { return false }
            state.sockets.formUnion([client, server])
            return true
        }
        let ends = Ends()
        let leave: @Sendable () -> Void = {
            for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) }
            guard ends.isLast() else { return }
            shared.state.withLock { $0.sockets.subtract([client, server]) }
            close(client)
            close(server)
        }
        guard isKnown, withAddress(shared.server, { connect(server, $0, $1) }) == 0 else {
            leave()
            return leave()
        }
        let losesAnswer = Flag()
        Thread.detachNewThread {
            forwardAnswers(from: server, to: client, losesAnswer, shared)
            leave()
        }
        forwardQuestions(from: client, to: server, losesAnswer, shared)
        leave()
    }

    /// Counts the two threads of a connection as they end.
    private final class Ends: Sendable {
        private let count = Mutex(0)

        func isLast() -> Bool {
            count.withLock { count in
                count += 1
                return count == 2
            }
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)

        var isSet: Bool {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    private static func forwardQuestions(
        from client: Int32,
        to server: Int32,
        _ losesAnswer: Flag,
        _ shared: Shared
    ) {
        var messages = Messages(client, startsUntyped: true)
        var isReading = false
        while var message = messages.next() {
            if let text = message.parsedText {
                if text.hasPrefix("BEGIN") { isReading = text.hasSuffix("READ ONLY") }
                if text == "COMMIT", !isReading {
                    switch fate(shared) {
                    case .forwarded: break
                    case .conflict: message = .raising40001
                    case .lostAnswer: losesAnswer.isSet = true
                    case .cut: return
                    }
                }
            }
            guard send(message.bytes, to: server) else { return }
        }
    }

    private static func forwardAnswers(
        from server: Int32,
        to client: Int32,
        _ losesAnswer: Flag,
        _ shared: Shared
    ) {
        var messages = Messages(server, startsUntyped: false)
        while let message = messages.next() {
            if losesAnswer.isSet, message.bytes.starts(with: Array("C".utf8)),
                message.bytes.dropFirst(5).elementsEqual(Array("COMMIT\0".utf8))
            {
                return
            }
            // Of each answer, the message that ends it is held up.
            if shared.harm.delay > 0, message.bytes.first == UInt8(ascii: "Z") {
                usleep(UInt32.random(in: 0...shared.harm.delay) * 1000)
            }
            guard send(message.bytes, to: client) else { return }
        }
    }

    private static func fate(_ shared: Shared) -> Fate {
        shared.state.withLock { state in
            state.counts.commits += 1
            func isTurn(_ every: Int) -> Bool {
                every > 0 && state.counts.commits.isMultiple(of: every)
            }
            if isTurn(shared.harm.conflictEvery) {
                state.counts.conflicts += 1
                return .conflict
            }
            if isTurn(shared.harm.loseAnswerEvery) {
                state.counts.lostAnswers += 1
                return .lostAnswer
            }
            if isTurn(shared.harm.cutEvery) {
                state.counts.cuts += 1
                return .cut
            }
            return .forwarded
        }
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(
                    socket,
                    $0.baseAddress! + start,
                    bytes.count - start,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }
}

/// A message of PostgreSQL's protocol (<https://www.postgresql.org/docs/15/protocol-message-formats.html>).
private struct Message {
    var bytes: [UInt8]

    /// The statement that the message has parsed; `nil` for another message.
    var parsedText: String? {
        guard bytes.first == UInt8(ascii: "P") else { return nil }
        let parts = bytes.dropFirst(5).split(
            separator: 0,
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        return parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : nil
    }

    /// Parses a statement without a name that fails when it is run.
    static var raising40001: Message {
        let body =
            [0] + Array("DO $$BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END$$".utf8) + [
                0, 0, 0,
            ]
        let length = UInt32(body.count + 4).bigEndian
        return Message(
            bytes: [UInt8(ascii: "P")] + withUnsafeBytes(of: length) { Array($0) } + body
        )
    }
}

/// The messages that come from a socket.
private struct Messages {
    private let socket: Int32
    /// Whether the next message has no type, as a client's first one.
    private var isUntyped: Bool
    private var received: [UInt8] = []

    init(_ socket: Int32, startsUntyped: Bool) {
        self.socket = socket
        isUntyped = startsUntyped
    }

    /// The next message; `nil` at the end of the connection.
    mutating func next() -> Message? {
        let start = isUntyped ? 0 : 1
        while true {
            if received.count >= start + 4 {
                let length = received[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                if received.count >= start + length {
                    defer { received.removeFirst(start + length) }
                    isUntyped = false
                    return Message(bytes: Array(received.prefix(start + length)))
                }
            }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            received += chunk[..<count]
        }
    }
}
