import Dispatch
import LibC
import Synchronization

/// A mail server on a real socket that misbehaves by a script.
final class ScriptedSMTPServer: Sendable {
    /// How to behave where it matters.
    struct Script: Sendable {
        var greeting = "220 test"
        /// Answers to commands, by their first word; `250 ok` for others.
        var answers: [String: String] = [:]
        /// The extensions in the answer to `EHLO`.
        var extensions: [String] = []
        /// The behaviour after the final dot.
        var end = End.answer("250 taken")
        /// A command at which the connection is cut without an answer.
        var cutAt: String?
        /// A command that is never answered.
        var hangAt: String?
        /// Whether each byte of an answer is sent by itself.
        var sendsSingly = false
        /// Whether `DATA` is answered with 354 although no recipient was taken.
        var takesDataForNobody = false
        /// The answer to a further mail on a connection that has taken one; `nil` for none: the
        /// server closes such a connection when it has taken a mail.
        var furtherMail: String? = "250 ok"
    }

    enum End: Sendable {
        case answer(String)
        case cut
        case hang
        /// An answer that comes when ``release()`` is called.
        case hold(String)
    }

    let port: UInt16
    /// The extensions in the answers to `EHLO`, whatever the script.
    private let extensions: [String]
    private let listener: Int32
    private let script: Mutex<Script>
    private let state = Mutex<(messages: [[UInt8]], commands: [String])>(([], []))
    private let connectionCount = Mutex(0)
    private let released = DispatchSemaphore(value: 0)

    /// Complete messages, as they came, without the final dot.
    var messages: [[UInt8]] { state.withLock { $0.messages } }
    var commands: [String] { state.withLock { $0.commands } }
    /// How many connections there were.
    var connections: Int { connectionCount.withLock { $0 } }

    struct CannotListen: Error {}

    init(_ script: Script = Script(), offering extensions: [String] = []) throws {
        self.script = Mutex(script)
        self.extensions = extensions
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = listener
        // A `sockaddr_in` by its bytes: two modules of C have the type, and the order of the files
        // decides whose members this file may name.
        var address: [UInt8] = [0, 0, 0, 0, 127, 0, 0, 1] + Array(repeating: 0, count: 8)
        #if canImport(Darwin)
            address[1] = UInt8(AF_INET)
        #else
            address[0] = UInt8(AF_INET)
        #endif
        var length = socklen_t(address.count)
        let result = address.withUnsafeMutableBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            let address = start.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, address, length) + listen(descriptor, 16)
                + getsockname(descriptor, address, &length)
        }
        guard result == 0 else { throw CannotListen() }
        port = UInt16(address[2]) << 8 | UInt16(address[3])
        DispatchQueue(label: "scripted-smtp").async { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                guard let self else {
                    close(connection)
                    return
                }
                DispatchQueue(label: "scripted-smtp-connection").async {
                    self.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    func behave(_ script: Script) {
        self.script.withLock { $0 = script }
    }

    /// Changes the behaviour after the final dot, also on open connections.
    func answerFinalDot(_ end: End) {
        script.withLock { $0.end = end }
    }

    /// Lets one answer come that is held.
    func release() { released.signal() }

    private func serve(_ connection: Int32) {
        let script = script.withLock { $0 }
        connectionCount.withLock { $0 += 1 }
        var mails = 0
        var hasRecipient = false
        var input = Input(connection: connection)
        let send = { self.send($0, to: connection, singly: script.sendsSingly) }
        send(script.greeting)
        while let line = input.line() {
            let text = String(decoding: line, as: UTF8.self)
            let command = String(text.split(separator: " ").first ?? "").uppercased()
            state.withLock { $0.commands.append(text) }
            if command == script.cutAt { return }
            if command == script.hangAt { return input.waitForEnd() }
            if command == "RCPT" {
                hasRecipient = script.answers[command].map { $0.hasPrefix("250") } ?? true
            }
            if command == "MAIL", mails > 0, let answer = script.furtherMail {
                send(answer)
                if !answer.hasPrefix("250") { return }
            } else if let answer = script.answers[command] {
                send(answer)
            } else if command == "EHLO" {
                let lines = ["test"] + extensions + script.extensions
                for line in lines.dropLast() { send("250-\(line)") }
                send("250 \(lines.last ?? "")")
            } else if command == "DATA", !hasRecipient, !script.takesDataForNobody {
                send("554 5.5.1 no recipients")
            } else if command == "DATA" {
                hasRecipient = false
                send("354 go on")
                guard let whole = input.message() else { return }
                state.withLock { $0.messages.append(whole) }
                switch self.script.withLock({ $0.end }) {
                case .answer(let answer):
                    send(answer)
                    mails += 1
                    if script.furtherMail == nil { return }
                case .cut: return
                case .hang: return input.waitForEnd()
                case .hold(let answer):
                    released.wait()
                    send(answer)
                    mails += 1
                }
            } else if command == "QUIT" {
                send("221 bye")
                return
            } else {
                send("250 ok")
            }
        }
    }

    private func send(_ line: String, to connection: Int32, singly: Bool) {
        let bytes = Array((line + "\r\n").utf8)
        for piece in singly ? bytes.map({ [$0] }) : [bytes] {
            _ = Glibc.send(connection, piece, piece.count, Int32(MSG_NOSIGNAL))
        }
    }

    private struct Input {
        let connection: Int32
        private var buffer: [UInt8] = []
        private var position = 0

        init(connection: Int32) {
            self.connection = connection
        }

        /// The next line without its CR LF; `nil` at the end.
        mutating func line() -> [UInt8]? {
            var line: [UInt8] = []
            while true {
                if position == buffer.count {
                    guard fill() else { return nil }
                }
                let byte = buffer[position]
                position += 1
                if byte == 0x0A, line.last == 0x0D { return line.dropLast() }
                line.append(byte)
            }
        }

        /// The lines up to the final dot, without the dots that were added; `nil` where none has come.
        mutating func message() -> [UInt8]? {
            var message: [UInt8] = []
            while let line = line() {
                if line == [UInt8(ascii: ".")] { return message }
                message += line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
                message += [0x0D, 0x0A]
            }
            return nil
        }

        mutating func waitForEnd() {
            while fill() {}
        }

        private mutating func fill() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return false }
            buffer = Array(bytes.prefix(count))
            position = 0
            return true
        }
    }
}
