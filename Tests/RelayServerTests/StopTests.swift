import Hummingbird
import Logging
import NIOCore
import OutboxCore
import RelayAPI
import ServiceLifecycle
import Synchronization
import Testing
import Waiting

@testable import RelaySQLite
@testable import RelayServer

@Suite("A stop (R14)")
struct StopTests {
    @Test("ends a request that never ends, after the time for requests")
    func request() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open {
            $0.port = 0
            $0.metricsPort = 0
            $0.stopTimes.requests = .milliseconds(200)
        }
        let token = try await fixture.token(relay)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    relay.service(delivering: fixture.transport) { port.yield($0) }
                ],
                logger: fixture.log.logger("group")
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let number = try #require(await ports.first { _ in true })
            let answer = try await RawConnection.open(to: number) { connection in
                try await connection.send(
                    """
                    PUT /v1/memos/\(OperationID.new()) HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer \(token)\r
                    Content-Length: 10\r
                    \r
                    {
                    """
                )
                await group.triggerGracefulShutdown()
                return await connection.readToEnd()
            }
            #expect(!answer.contains("202"))
            try await tasks.waitForAll()
        }
    }

    @Test("lets requests end that end in time")
    func inTime() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open { $0.port = 0 }
        let token = try await fixture.token(relay)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    relay.service(delivering: fixture.transport) { port.yield($0) }
                ],
                logger: fixture.log.logger("group")
            )
        )
        let memo = try RelayJSON.encode(MemoRequest(text: "a memo"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let number = try #require(await ports.first { _ in true })
            let answer = try await RawConnection.open(to: number) { connection in
                try await connection.send(
                    """
                    PUT /v1/memos/\(OperationID.new()) HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer \(token)\r
                    Content-Length: \(memo.count)\r
                    \r

                    """
                )
                // The relay has the header by now, or gets it with the body: both count.
                try await Task.sleep(for: .milliseconds(200))
                await group.triggerGracefulShutdown()
                try await Task.sleep(for: .milliseconds(100))
                try await connection.send(String(decoding: memo, as: UTF8.self))
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 202"))
            try await tasks.waitForAll()
        }
    }

    /// A server that ends as soon as it is told, whatever its requests do.
    private struct HastyServer: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    private final class Notice: Sendable {
        let isGiven = Mutex(false)
    }

    @Test("waits for requests that have a task, though the server has ended")
    func tasks() async throws {
        let connections = OpenConnections(maximum: 1)
        connections.requests.begun()
        let end = Notice()
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    StoppableApplication(
                        base: HastyServer(),
                        connections: connections,
                        patience: .milliseconds(1)
                    )
                ],
                logger: try RelayFixture().log.logger("group")
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await group.run()
                end.isGiven.withLock { $0 = true }
            }
            await group.triggerGracefulShutdown()
            try await Task.sleep(for: .milliseconds(200))
            #expect(!end.isGiven.withLock { $0 })
            connections.requests.ended()
            try await tasks.waitForAll()
        }
    }

    /// Begins a stop, and tells after which of the two times it has expired.
    private func expiry(isMailOwed: @escaping @Sendable () -> Bool) async -> Duration {
        let times = StopTimes(
            requests: .zero,
            all: .milliseconds(50),
            mail: .milliseconds(400)
        )
        let start = ContinuousClock.now
        return await withCheckedContinuation { continuation in
            let deadline = StopDeadline(
                times,
                isMailOwed: isMailOwed,
                expired: { continuation.resume(returning: start.duration(to: .now)) }
            )
            deadline.begin()
        }
    }

    @Test("has a deadline, which a mail server that owes an answer moves once")
    func deadline() async {
        #expect(await expiry { false } >= .milliseconds(50))
        #expect(await expiry { true } >= .milliseconds(400))
        // An answer that comes between the two times is stored in the rest.
        let looks = Mutex(0)
        let asked = await expiry {
            looks.withLock {
                $0 += 1
                return $0 < 2
            }
        }
        #expect(asked >= .milliseconds(400))
    }

    @Test("that has ended has no deadline any more")
    func ended() async throws {
        let isExpired = Mutex(false)
        let time = Duration.milliseconds(20)
        let deadline = StopDeadline(
            StopTimes(requests: .zero, all: time, mail: time),
            isMailOwed: { false },
            expired: { isExpired.withLock { $0 = true } }
        )
        let begun = ContinuousClock.now
        deadline.begin()
        deadline.cancel()
        // Between the two calls a busy machine may do something else for longer than the time.
        let isLate = begun.duration(to: .now) >= time
        try await Task.sleep(for: .milliseconds(100))
        #expect(isLate || !isExpired.withLock { $0 })
    }

    @Test(
        "waits for a mail server's answer to a whole mail, however long it looks at it",
        arguments: SMTPTransportTests.Client.allCases
    )
    func owedAnswer(client: SMTPTransportTests.Client) async throws {
        let server = try client.server(ScriptedSMTPServer.Script(end: .hold("250 taken")))
        let endpoint = MailServer(
            host: "127.0.0.1",
            port: Int(server.port),
            security: .opportunistic
        )
        let mail = QueuedMail(
            sender: "memo@relay.example",
            recipient: "somebody@example.org",
            messageID: "x",
            message: Array("Subject: x\r\n\r\nbody\r\n".utf8)
        )
        let delivery = Task { await client.transport(endpoint).deliver(mail) }
        try await waitUntil { !server.messages.isEmpty }
        let cancelled = ContinuousClock.now
        delivery.cancel()
        // Longer than any wait of the client but the one for an owed answer.
        try await Task.sleep(for: .seconds(7))
        server.release()
        #expect(await delivery.value == .accepted)
        #expect(cancelled.duration(to: .now) < StopTimes.answer)
    }
}
