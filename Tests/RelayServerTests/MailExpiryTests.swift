import Hummingbird
import MemoCore
import Outbox
import OutboxCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

// Attempts are counted, never timed. The time limits end a test that hangs.
@Suite("A mail that nobody takes")
struct MailExpiryTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    /// Waits 10 ms, 20 ms, 40 ms, 40 ms ...
    private func open(
        lifetime: Milliseconds = .seconds(5 * 86_400)
    ) throws -> Relay<SQLiteRelayStore> {
        try fixture.open {
            $0.mailPolicy.base = Milliseconds(10)
            $0.mailPolicy.cap = Milliseconds(40)
            $0.mailPolicy.lifetime = lifetime
        }
    }

    /// The memo's status, and how often its mail was tried, after the clock was set while it
    /// waited.
    private func fate(
        _ relay: Relay<SQLiteRelayStore>,
        settingClockBy jump: Milliseconds
    ) async throws -> (status: MemoStatus, attempts: Int) {
        let token = try await fixture.token(relay)
        let before = fixture.transport.mails.count
        let id = OperationID.new()
        return try await relay.application().test(.router) { client in
            let answer = try await client.put(id, MemoRequest(text: "canary"), token: token)
            #expect(answer.status == .accepted)
            fixture.transport.answer(.tryLater("smtp.connect"))
            fixture.clock.advance(jump)
            try await fixture.deliver(relay)
            let status = try await client.send(RelayPath.memo(id), method: .get, token: token)
                .decoded(MemoStatus.self)
            #expect(status.id == "\(id)")
            return (status, fixture.transport.mails.count - before)
        }
    }

    @Test("after five days is a dead letter, and its sender sees it", .timeLimit(.minutes(60)))
    func expired() async throws {
        let relay = try open()
        let (status, _) = try await fate(relay, settingClockBy: .seconds(6 * 86_400))
        #expect(status.status == .expired && status.reason == "smtp.connect")
        #expect(try relay.store.outbox.counts() == OutboxCounts(parked: 1))
    }

    @Test("is tried until the waits are longest, however far the clock was set forward")
    func clockForward() async throws {
        let (_, attempts) = try await fate(open(), settingClockBy: .seconds(400 * 86_400))
        #expect(attempts == 3)
    }

    @Test(
        "never leaves the queue with its memo still accepted, however far the clock was set back",
        .timeLimit(.minutes(60))
    )
    func clockBack() async throws {
        let relay = try open(lifetime: Milliseconds(150))
        let (status, attempts) = try await fate(relay, settingClockBy: .seconds(-400 * 86_400))
        #expect(status.status == .expired && status.reason == "smtp.connect")
        #expect(try relay.store.outbox.counts() == OutboxCounts(parked: 1))
        // 10 + 20 + 40 + 40 + 40 milliseconds lie between six attempts.
        #expect(attempts == 6)
    }

    @Test(
        "is not tried for longer than its long code lives, however far the clock was set back",
        .timeLimit(.minutes(60))
    )
    func verificationWithClockBack() async throws {
        let relay = try fixture.open {
            $0.mailPolicy.base = Milliseconds(10)
            $0.mailPolicy.cap = Milliseconds(40)
            $0.verificationRules.longCodeLifetime = Milliseconds(60)
        }
        fixture.transport.answer(.tryLater("smtp.connect"))
        try await relay.application().test(.router) { client in
            let asked = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: RelayFixture.address)
            )
            #expect(asked.status == .accepted)
        }
        fixture.clock.advance(.seconds(-400 * 86_400))
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == 3)
        #expect(try relay.store.outbox.counts() == OutboxCounts())
    }

    @Test("with the policy for mail needs nine failures at any age, and five days at any clock")
    func figures() {
        let expiry = MailExpiry(policy: .mail)
        func isReached(failures: UInt32, age: Milliseconds) -> Bool {
            expiry.isReached(after: failures - 1, age: age)
        }
        let lifetime = Milliseconds.seconds(5 * 86_400)
        #expect(!isReached(failures: 8, age: .seconds(400 * 86_400)))
        #expect(isReached(failures: 9, age: lifetime))
        #expect(!isReached(failures: 9, age: Milliseconds(lifetime.count - 1)))
        // 255 minutes for the first eight waits, then 29 times four hours.
        #expect(!isReached(failures: 37, age: .seconds(-86_400)))
        #expect(isReached(failures: 38, age: .seconds(-86_400)))
        #expect(isReached(failures: .max, age: .seconds(-86_400)))
    }
}
