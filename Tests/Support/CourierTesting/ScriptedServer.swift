import Foundation
import LibC
import Synchronization

/// A server on this machine that does to each connection just what a test tells it to.
package final class ScriptedServer: Sendable {
    /// What is done to one connection.
    package enum Step: Sendable {
        /// Reads the request whole and answers it.
        case answer(@Sendable (Request) -> String)
        /// Closes without reading.
        case cutBefore
        /// Reads the request and closes.
        case cutAfterRequest
        /// Answers only this much, and closes.
        case cutInside(String)
        /// Reads the request and says nothing more, until the client gives up.
        case hang
    }

    package struct Request: Sendable {
        package var head: String
        package var body: [UInt8]

        /// The URL of the server that got the request.
        package var relay: String {
            let field = head.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("host:")
            }
            return "http://" + (field?.dropFirst(5).trimmingCharacters(in: .whitespaces) ?? "")
        }

        /// The last part of the path: a memo's identifier.
        package var id: String {
            String(head.split(separator: " ")[1].split(separator: "/").last ?? "")
        }
    }

    package let port: UInt16
    private let listener: Int32
    private let steps: Mutex<[Step]>
    private let seen = Mutex<[Request]>([])
    /// Yields for each request that was read whole.
    package let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    /// The questions for changes that were read whole. They take no step.
    private let asked = Mutex<[Request]>([])
    private let changes: @Sendable (Request) -> String

    /// - Parameters:
    ///   - steps: One for each connection; the last is repeated.
    ///   - changes: Answers a question for changes.
    package init(
        _ steps: Step...,
        changes: @escaping @Sendable (Request) -> String = { _ in HTTP.changes([], cursor: "c0") }
    ) {
        self.steps = Mutex(steps)
        self.changes = changes
        (arrivals, arrived) = AsyncStream.makeStream()
        #if canImport(Glibc)
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                precondition(bind(listener, generic, length) == 0)
                precondition(listen(listener, 64) == 0)
                getsockname(listener, generic, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        Thread.detachNewThread { self.accept() }
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The requests that were read whole.
    package var requests: [Request] { seen.withLock { $0 } }

    /// The targets of the questions for changes: path and query.
    package var questions: [String] {
        asked.withLock { $0.map { String($0.head.split(separator: " ")[1]) } }
    }

    package func stop() {
        // Closed by the thread that accepts: the number would be another server's meanwhile.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        defer { close(listener) }
        while true {
            let connection = Foundation.accept(listener, nil, nil)
            guard connection >= 0 else { return }
            if isQuestion(connection) {
                Thread.detachNewThread {
                    self.answerQuestion(connection)
                    close(connection)
                }
                continue
            }
            if start(of: connection).starts(with: "GET /v1/changes".utf8) {
                // Like a relay of a build that shares nothing.
                Thread.detachNewThread {
                    if self.read(connection) != nil {
                        self.write(
                            connection,
                            HTTP.problem(404, code: "not-found", retryable: false)
                        )
                    }
                    close(connection)
                }
                continue
            }
            let step = steps.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            Thread.detachNewThread {
                self.serve(connection, step)
                close(connection)
            }
        }
    }

    /// Whether the connection is about to ask for changes. Takes nothing of the request.
    private func isQuestion(_ connection: Int32) -> Bool {
        start(of: connection).starts(with: "GET /v1/memos/changes".utf8)
    }

    /// The start of the request. Takes nothing of it.
    private func start(of connection: Int32) -> [UInt8] {
        var start = [UInt8](repeating: 0, count: 21)
        let flags = Int32(MSG_PEEK) | Int32(MSG_WAITALL)
        let count = recv(connection, &start, start.count, flags)
        return Array(start.prefix(max(0, count)))
    }

    private func answerQuestion(_ connection: Int32) {
        guard let request = read(connection) else { return }
        asked.withLock { $0.append(request) }
        write(connection, changes(request))
    }

    private func serve(_ connection: Int32, _ step: Step) {
        if case .cutBefore = step { return }
        guard let request = read(connection) else { return }
        seen.withLock { $0.append(request) }
        arrived.yield()
        switch step {
        case .answer(let answer): write(connection, answer(request))
        case .cutInside(let part): write(connection, part)
        case .cutBefore, .cutAfterRequest: break
        case .hang:
            var byte: UInt8 = 0
            _ = recv(connection, &byte, 1, 0)
        }
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var bodyStart: Int?
        var bodyLength = 0
        while true {
            if bodyStart == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                bodyStart = end.upperBound
                let head = String(decoding: bytes[..<end.upperBound], as: UTF8.self).lowercased()
                if let field = head.split(separator: "\r\n").first(
                    where: { $0.hasPrefix("content-length:") })
                {
                    bodyLength = Int(field.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
                }
                if head.contains("100-continue") {
                    write(connection, "HTTP/1.1 100 Continue\r\n\r\n")
                }
            }
            if let bodyStart, bytes.count >= bodyStart + bodyLength {
                return Request(
                    head: String(decoding: bytes[..<bodyStart], as: UTF8.self),
                    body: Array(bytes[bodyStart...])
                )
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private func write(_ connection: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}

/// Answers as text.
package enum HTTP {
    package static func response(
        _ status: String,
        type: String = "application/json",
        fields: String = "",
        body: String
    ) -> String {
        """
        HTTP/1.1 \(status)\r
        Content-Type: \(type)\r
        Content-Length: \(body.utf8.count)\r
        Connection: close\r
        \(fields)\r
        \(body)
        """
    }

    /// One page of changes: identifiers, statuses and reasons.
    package static func changes(
        _ changes: [(id: String, status: String, reason: String?)],
        cursor: String,
        more: Bool = false
    ) -> String {
        let list = changes.map { change in
            let reason = change.reason.map { #","reason":"\#($0)""# } ?? ""
            return #"{"id":"\#(change.id)","status":"\#(change.status)"\#(reason)}"#
        }.joined(separator: ",")
        return response(
            "200 OK",
            body: #"{"changes":[\#(list)],"cursor":"\#(cursor)","more":\#(more),"restarted":false}"#
        )
    }

    package static func accepted(_ id: String) -> String {
        response("202 Accepted", body: #"{"id":"\#(id)","status":"accepted"}"#)
    }

    package static func problem(
        _ status: Int,
        code: String,
        retryable: Bool,
        fields: String = ""
    ) -> String {
        response(
            "\(status) Problem",
            type: "application/problem+json",
            fields: fields,
            body: """
                {"type":"about:blank","title":"No.","status":\(status),"code":"\(code)",\
                "retryable":\(retryable)}
                """
        )
    }
}
