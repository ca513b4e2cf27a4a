import Foundation
import Hummingbird
import MemoCore
import NIOCore
import NIOEmbedded
import Outbox
import OutboxCore
import RelayAPI
import Synchronization
import TemporaryFolders
import Testing
import WireCore

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// The bounds of a connection, over sockets. Where a connection would live on, a test hangs.
@Suite("A connection", .timeLimit(.minutes(60)))
struct ConnectionBoundsTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func relay(
        _ bound: (inout ConnectionBounds) -> Void = { _ in }
    ) throws -> Relay<SQLiteRelayStore> {
        try fixture.open { bound(&$0.connectionBounds) }
    }

    /// A connection to a relay with these bounds.
    private func connected<Value>(
        to relay: Relay<SQLiteRelayStore>,
        _ body: (RawConnection) async throws -> Value
    ) async throws -> Value {
        try await relay.application().listeningOnPort { port in
            try await RawConnection.open(to: port, body)
        }
    }

    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func put(_ fields: String, token: String = "none") -> String {
        """
        PUT \(RelayPath.memo(.new())) HTTP/1.1\r
        Host: localhost\r
        Authorization: Bearer \(token)\r
        \(fields)\r
        \r

        """
    }

    // Time.

    @Test("without a request is closed after the idle time")
    func idle() async throws {
        try await connected(to: relay { $0.idle = .milliseconds(200) }) { connection in
            #expect(await connection.readToEnd() == "")
        }
    }

    @Test("whose header does not end is closed, though bytes arrive")
    func slowHeader() async throws {
        try await connected(to: relay { $0.idle = .milliseconds(200) }) { connection in
            try await connection.send("GET / HTTP/1.1\r\nX-Slow: ")
            #expect(await connection.drip("x") == "")
        }
    }

    @Test("whose body does not end in time gets a 408, and is closed though bytes arrive")
    func slowBody() async throws {
        let relay = try relay {
            $0.body = ExchangeTime(base: Milliseconds(200), slowestUplink: 1 << 20)
            $0.drain = .milliseconds(200)
        }
        let token = try await fixture.token(relay)
        try await connected(to: relay) { connection in
            try await connection.send(put("Content-Length: 1000000", token: token))
            let answer = await connection.drip("x")
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test(
        "answered before its request's end is closed, though bytes arrive",
        arguments: ["Content-Length: 1000000", "Transfer-Encoding: chunked"]
    )
    func earlyAnswer(length: String) async throws {
        try await connected(to: relay { $0.drain = .milliseconds(200) }) { connection in
            try await connection.send(put(length))
            let answer = await connection.drip(length.hasPrefix("C") ? "x" : "1\r\nx\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            #expect(answer.lowercased().contains("connection: close"))
            #expect(answer.components(of: "HTTP/1.1 ") == 1)
        }
    }

    @Test(
        "has the rest of a refused body received as fast as bytes may be dropped, and no faster",
        arguments: [(1, false), (1 << 30, true)]
    )
    func dropping(bytesPerSecond: Int, isReceived: Bool) async throws {
        let relay = try relay {
            $0.drain = isReceived ? .hours(1) : .milliseconds(600)
            $0.droppedPerSecond = bytesPerSecond
            // No other bound closes the connection.
            $0.requestLength = 1 << 30
        }
        // More than the system keeps for a connection that nobody reads.
        let count = 32 << 20
        try await connected(to: relay) { connection in
            try await connection.send(put("Content-Length: \(count)"))
            async let sent: Void? = try? {
                // The system takes a piece once there is room for it.
                let piece = String(repeating: " ", count: 1 << 16)
                for _ in 0..<count >> 16 { try await connection.send(piece) }
            }()
            #expect(try await connection.readAnswers(1).hasPrefix("HTTP/1.1 413 "))
            #expect((await sent != nil) == isReceived)
        }
    }

    @Test("whose client does not read the answer is closed")
    func unreadAnswer() async throws {
        let folder = try TemporaryFolder()
        let length = 32 << 20
        try Data(repeating: 0x20, count: length).write(
            to: URL(fileURLWithPath: folder.path + "/index.html")
        )
        let web = try WebBundle(folder: folder.path)
        let relay = try fixture.open {
            $0.web = web
            $0.connectionBounds.answer = .milliseconds(500)
            // No other bound closes the connection.
            $0.connectionBounds.idle = .hours(1)
        }
        try await connected(to: relay) { connection in
            try await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /")
            await connection.sendUntilClosed("x")
            let answer = await connection.readToEnd()
            // The bound begins with the request's end: on a loaded machine it may pass before the
            // answer begins.
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.utf8.count < length)
        }
    }

    // Bytes.

    @Test("is kept after a request with a whole body, also a refused one")
    func keptAlive() async throws {
        try await connected(to: relay()) { connection in
            try await connection.send(put("Content-Length: 3") + "abc" + Self.health)
            let answers = try await connection.readAnswers(2)
            #expect(answers.hasPrefix("HTTP/1.1 401 "))
            #expect(answers.contains("HTTP/1.1 200 "))
            #expect(!answers.lowercased().contains("connection: close"))
        }
    }

    @Test("with a header beyond its bounds gets a 400 and is closed")
    func oversizedHeader() async throws {
        let field = "X: " + String(repeating: "x", count: 7000) + "\r\n"
        for fields in [
            "X: " + String(repeating: "x", count: 9000) + "\r\n",
            String(repeating: field, count: 5), String(repeating: "X: x\r\n", count: 101),
        ] {
            try await connected(to: relay { $0.drain = .milliseconds(200) }) { connection in
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                #expect(await connection.readToEnd().hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test("with a declared body beyond its bound gets a 413 and is closed")
    func oversizedBody() async throws {
        try await connected(to: relay { $0.drain = .milliseconds(200) }) { connection in
            try await connection.send(put("Content-Length: \(RelayLimits.memoBodyLength + 1)"))
            let answer = await connection.drip("x")
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("with a body beyond its bound, sent whole, gets a 413", arguments: [true, false])
    func wholeOversizedBody(isDeclared: Bool) async throws {
        let relay = try relay()
        let token = try await fixture.token(relay)
        let count = RelayLimits.memoBodyLength + 1
        let field = isDeclared ? "Content-Length: \(count)" : "Transfer-Encoding: chunked"
        let size = isDeclared ? "" : String(count, radix: 16) + "\r\n"
        try await connected(to: relay) { connection in
            try await connection.send(put(field, token: token) + size)
            // The relay ends its direction with the answer, and the client may still be sending.
            async let sent: Void? = try? connection.send(String(repeating: " ", count: count))
            #expect(await connection.readToEnd().hasPrefix("HTTP/1.1 413 "))
            _ = await sent
        }
    }

    @Test("whose body ends too early has nothing accepted")
    func truncatedBody() async throws {
        let relay = try relay { $0.drain = .milliseconds(200) }
        let token = try await fixture.token(relay)
        try await connected(to: relay) { connection in
            try await connection.send(put("Content-Length: 100", token: token) + #"{"text":"x"}"#)
            connection.finishSending()
            #expect(!(await connection.readToEnd()).contains("HTTP/1.1 202 "))
        }
        #expect(try relay.store.outbox.counts() == OutboxCounts())
    }

    @Test("with endless chunk extensions is closed")
    func chunkExtensions() async throws {
        let relay = try relay {
            $0.requestLength = 100_000
            // No other bound closes the connection.
            $0.idle = .hours(1)
            $0.body = ExchangeTime(base: .seconds(3600))
        }
        let token = try await fixture.token(relay)
        try await connected(to: relay) { connection in
            try await connection.send(put("Transfer-Encoding: chunked", token: token) + "1;")
            let answer = await connection.drip(String(repeating: "x", count: 10_000))
            #expect(!answer.contains("HTTP/1.1 202 "))
        }
        #expect(try relay.store.outbox.counts() == OutboxCounts())
    }

    @Test("answers requests that were sent in advance, in order")
    func pipelining() async throws {
        let token = try await fixture.token(relay())
        try await connected(to: relay()) { connection in
            let memo = #"{"text":"x"}"#
            for _ in 0..<20 {
                try await connection.send(
                    Self.health + put("Content-Length: \(memo.utf8.count)", token: token) + memo
                        + String(repeating: Self.health, count: 100)
                )
            }
            let answers = try await connection.readAnswers(20 * 102)
            let statuses = answers.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            let turn = ["200", "202"] + Array(repeating: "200", count: 100)
            #expect(statuses.map(String.init) == (0..<20).flatMap { _ in turn })
        }
    }

    @Test("does not receive the body of a memo that is refused for the device's limits")
    func refusedBody() async throws {
        let relay = try fixture.open {
            $0.memoLimits.device = DeviceLimits(perMinute: 1, perDay: 10)
            $0.connectionBounds.drain = .milliseconds(200)
        }
        let token = try await fixture.token(relay)
        let memo = OperationID.new()
        try await relay.application().test(.live) { client in
            let sent = MemoRequest(text: "x")
            let accepted = try await client.put(memo, sent, token: token)
            #expect(accepted.status == .accepted)
            // The memo that was accepted before is received and answered.
            let replay = try await client.put(memo, sent, token: token)
            #expect(replay.status == .accepted)
        }
        try await connected(to: relay) { connection in
            try await connection.send(put("Content-Length: 1000000", token: token))
            #expect(await connection.drip("x").hasPrefix("HTTP/1.1 429 "))
        }
    }

    // Number.

    @Test("beyond the maximum closes another one, after its answer")
    func maximum() async throws {
        let relay = try fixture.open { $0.maximumConnections = 1 }
        try await relay.application().listeningOnPort { port in
            try await RawConnection.open(to: port) { first in
                try await first.send(Self.health)
                // Its answer says that the relay has accepted it: connections have no order before.
                try await first.readToEnd(after: 1) {
                    try await RawConnection.open(to: port) { second in
                        try await second.send(Self.health)
                        #expect(try await second.readAnswers(1).hasPrefix("HTTP/1.1 200 "))
                    }
                }
            }
        }
    }

    @Test("beyond the maximum closes the idlest one, and an eighth of a request's time counts")
    func idlest() throws {
        let seconds = Mutex<Int64>(0)
        let connections = OpenConnections(maximum: 3) {
            .uptimeNanoseconds(0) + .seconds(seconds.withLock { $0 })
        }
        let channels = try activeChannels(7)
        /// The channel that is closed when another one is opened at that time.
        func closedByOpening(_ number: Int, at time: Int64) -> Int? {
            let open = channels.indices.filter { channels[$0].isActive }
            seconds.withLock { $0 = time }
            connections.opened(channels[number])
            return open.first { !channels[$0].isActive }
        }

        for number in 0..<3 {
            #expect(closedByOpening(number, at: Int64(number)) == nil)
        }
        seconds.withLock { $0 = 10 }
        connections.changed(channels[0], isBusy: false)
        connections.changed(channels[1], isBusy: true)
        #expect(closedByOpening(3, at: 11) == 2)
        #expect(closedByOpening(4, at: 12) == 0)
        // The request has lasted for 3 s, less than eight times 2 s.
        #expect(closedByOpening(5, at: 13) == 3)
        seconds.withLock { $0 = 27 }
        connections.changed(channels[4], isBusy: false)
        connections.changed(channels[5], isBusy: false)
        // The request has lasted for 18 s, more than eight times 1 s.
        #expect(closedByOpening(6, at: 28) == 1)
    }

    @Test("that only wait for their end are closed before all others, the oldest first")
    func leaving() throws {
        let connections = OpenConnections(maximum: 4)
        let channels = try activeChannels(4)
        for channel in channels { connections.opened(channel) }
        for number in [3, 1, 2] { connections.turnedAway(channels[number]) }
        connections.closed(channels[1])
        // There is room for one.
        for (channel, closed) in zip(try activeChannels(4), [[], [3], [2, 3], [0, 2, 3]]) {
            connections.opened(channel)
            #expect(channels.indices.filter { !channels[$0].isActive } == closed)
        }
    }

    @Test("are found by their condition after any number of changes")
    func changes() throws {
        let connections = OpenConnections(maximum: 2)
        let channels = try activeChannels(3)
        for channel in channels.prefix(2) { connections.opened(channel) }
        for number in 0..<10_000 {
            connections.changed(channels[0], isBusy: number.isMultiple(of: 2))
        }
        connections.opened(channels[2])
        #expect(channels.map(\.isActive) == [true, false, true])
    }

    private func activeChannels(_ count: Int) throws -> [EmbeddedChannel] {
        try (0..<count).map { _ in
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            return channel
        }
    }
}

@Suite("The requests of a connection")
struct RequestProgressTests {
    private enum Event: CaseIterable {
        case begun, bodyRequested, ended, answerBegun, answered
    }

    /// Every course of events that HTTP allows: a request begins after the end of the one before,
    /// and has one answer, which may begin before its end.
    private func courses(of length: Int) -> [[Event]] {
        var courses: [[Event]] = [[]]
        for _ in 0..<length {
            courses = courses.flatMap { course in
                let facts = Facts(course)
                return Event.allCases.filter { event in
                    switch event {
                    case .begun: !facts.isReceiving && !facts.isLast
                    case .ended: facts.isReceiving
                    case .bodyRequested: facts.unanswered > 0 && !facts.isAnswering
                    case .answerBegun: facts.unanswered > 0 && !facts.isAnswering
                    case .answered: facts.isAnswering
                    }
                }.map { course + [$0] }
            }
        }
        return courses
    }

    /// The state of a connection, told from all of its events.
    private struct Facts {
        let begun, answered: Int
        let isReceiving, isAnswering: Bool
        /// Whether an answer has begun before its request's end.
        let isLast: Bool
        let isBodyRequested: Bool

        var unanswered: Int { begun - answered }

        init(_ course: [Event]) {
            func count(_ event: Event, before end: Int = .max) -> Int {
                course.prefix(end).count { $0 == event }
            }
            begun = count(.begun)
            answered = count(.answered)
            isReceiving = begun > count(.ended)
            isAnswering = count(.answerBegun) > answered
            isLast = course.indices.contains { index in
                course[index] == .answerBegun
                    && count(.answerBegun, before: index) == count(.ended, before: index)
            }
            // Asked for while an earlier request was unanswered, it was the earlier one's body.
            let requests = begun
            isBodyRequested = course.indices.contains { index in
                course[index] == .bodyRequested && count(.begun, before: index) == requests
                    && count(.answered, before: index) == requests - 1
            }
        }
    }

    @Test("are received one at a time, a body only when it is asked for")
    func receiving() {
        for course in (0...9).flatMap(courses) {
            var progress = RequestProgress()
            for event in course {
                switch event {
                case .begun: _ = progress.requestBegun()
                case .bodyRequested: progress.bodyRequested()
                case .ended: progress.requestEnded()
                case .answerBegun: _ = progress.answerBegun()
                case .answered: progress.requestAnswered()
                }
            }
            let facts = Facts(course)
            #expect(progress.isIdle == (facts.unanswered == 0), "\(course)")
            #expect(progress.isDraining == (facts.isLast && facts.unanswered == 0), "\(course)")
            let isBodyDue = facts.isReceiving && facts.isBodyRequested && facts.unanswered == 1
            #expect(progress.mayReceive == (facts.unanswered == 0 || isBodyDue), "\(course)")
        }
    }
}
