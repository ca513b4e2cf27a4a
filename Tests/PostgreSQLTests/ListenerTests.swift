import Foundation
import PostgreSQLServer
import Testing
import Waiting

@testable import PostgreSQL

/// Two programs that tell each other something.
@Suite(
    "Listeners",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(10))
)
struct ListenerTests {
    /// A listener that counts what it hears.
    private final class Counting: Sendable {
        let count: Locked<Int>
        let listener: Listener

        /// - Parameter silence: The time after which a silent connection is given up, also that of a server
        ///   that has much else to do.
        init(
            _ settings: Settings,
            listen: StaticString = "LISTEN memo_test",
            silence: Duration = .seconds(30)
        ) {
            var times = Listener.Times()
            times.sign = .milliseconds(90)
            times.silence = silence
            times.firstWait = .milliseconds(50)
            times.longestWait = .milliseconds(200)
            let count = Locked(0)
            self.count = count
            listener = Listener(
                settings,
                listen: listen,
                tell: "SELECT pg_notify('memo_test', $1)",
                times: times
            ) { count.withLock { $0 += 1 } }
        }

        deinit { listener.close() }

        var heard: Int { count.withLock { $0 } }

        /// Waits until it hears what another one tells.
        func waitFor(_ other: Counting) async throws {
            let before = heard
            try await waitUntil {
                other.listener.tell()
                return self.heard > before
            }
        }
    }

    private let settings: Settings
    private let database: Connection

    init() throws {
        settings = Settings(try SharedServer.address())
        database = try Connection(settings)
    }

    /// The server's processes of listeners.
    private func processes() throws -> Set<Int64> {
        Set(
            try database.run(
                Statement(
                    """
                    SELECT CAST(pid AS bigint) FROM pg_stat_activity
                    WHERE query LIKE '%memo_test%' AND pid <> pg_backend_pid()
                    """
                )
            ).map { $0.integer(0) }
        )
    }

    @Test("one hears what the other tells, and neither hears itself")
    func hears() async throws {
        let (one, other) = (Counting(settings), Counting(settings))
        try await one.waitFor(other)
        try await other.waitFor(one)
        one.listener.close()
        other.listener.close()
        let alone = Counting(settings)
        // It hears nothing but that it has a connection.
        try await waitUntil { alone.heard > 0 }
        alone.listener.tell()
        try await Task.sleep(for: .milliseconds(300))
        #expect(alone.heard == 1)
    }

    @Test("of many messages at once the others hear a few, and the last one")
    func pause() async throws {
        let (one, other) = (Counting(settings), Counting(settings))
        try await one.waitFor(other)
        let before = one.heard
        let start = ContinuousClock.now
        for _ in 0..<10_000 { other.listener.tell() }
        let messages = (ContinuousClock.now - start) / .milliseconds(20) + 2
        try await waitUntil { one.heard > before }
        try await Task.sleep(for: .milliseconds(200))
        #expect(Double(one.heard - before) <= messages)
    }

    @Test("a listener whose connection ends has another one soon")
    func ended() async throws {
        let (one, other) = (Counting(settings), Counting(settings))
        try await one.waitFor(other)
        let before = try processes()
        for process in before {
            _ = try database.run(
                Statement("SELECT pg_terminate_backend(CAST($1 AS int))", [.integer(process)])
            )
        }
        try await waitUntil { try processes().subtracting(before).count == 2 }
        try await one.waitFor(other)
        try await other.waitFor(one)
    }

    @Test("a listener whose server is silent has another connection soon")
    func silent() async throws {
        let one = Counting(settings, silence: .milliseconds(600))
        try await waitUntil { try one.heard > 0 && processes().count == 1 }
        let process = try #require(try processes().first)
        kill(pid_t(process), SIGSTOP)
        defer { kill(pid_t(process), SIGCONT) }
        try await waitUntil { try processes().count == 2 }
        let other = Counting(settings)
        try await one.waitFor(other)
    }

    @Test("an engine that tells nothing is asked again and again, with pauses")
    func deaf() async throws {
        let one = Counting(
            settings,
            listen: "SELECT 'memo_test'",
            silence: .milliseconds(600)
        )
        try await waitUntil { one.heard >= 3 }
        // No message of another one: each was a new connection.
        one.listener.close()
        try await waitUntil { try processes().isEmpty }
    }
}
