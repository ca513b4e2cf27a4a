import Hummingbird
import LibC
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import RelayAPI
import SQLite
import Synchronization
import TemporaryFolders
import Testing
import Waiting

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

// The time limit ends a test that hangs; no test comes near it.
@Suite("The shares of the relay's mail queue", .timeLimit(.minutes(60)))
struct MailSharesTests {
    private let folder: TemporaryFolder
    private let store: SQLiteRelayStore
    private let now = OutboxClock.system.wallTime()

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteRelayStore(
            folder: folder.path,
            keys: MemoryKeyStore(keys: [.random()])
        )
    }

    private func mail(_ name: String) -> QueuedMail {
        QueuedMail(sender: "a@b.example", recipient: "c@d.example", messageID: name, message: [1])
    }

    /// Queues the mail of a code.
    private func ask(for name: UInt8) async throws {
        let letter = CodeLetter(code: [1], longCode: [1], mail: mail("code-\(name)"))
        let new = NewVerification(
            handle: [name],
            addressKey: [name],
            subjects: [.pair: [0, name], .address: [1, name], .network: [2, name]],
            now: now
        ) { _, _ in letter }
        let decision = try await store.startVerification(new, rules: VerificationRules())
        #expect(decision == .send(digits: 6))
    }

    private func signIn(_ person: UInt8) async throws -> AuthenticatedDevice {
        try await ask(for: person)
        let announcement = mail("device-\(person)")
        let confirmation = Confirmation(
            code: .digits([1], handle: [person]),
            addressKey: [person],
            address: try #require(MailAddress("person\(person)@inbox.example")),
            mailbox: MailboxID(bits: OperationID(high: 3, low: UInt64(person))),
            tokenHash: [person],
            deviceName: "device",
            now: now,
            announcement: { _ in announcement }
        )
        #expect(try await store.confirm(confirmation, rules: VerificationRules()) == .granted)
        return try #require(try await store.device(tokenHash: [person]))
    }

    private func accept(_ name: String, from device: AuthenticatedDevice) async throws {
        let memo = NewMemo(
            id: .new(),
            account: device.account,
            mailbox: MailboxID(bits: device.account.bits),
            device: device.id,
            contentCode: [1],
            response: [1],
            acceptedAt: now,
            mail: mail(name)
        )
        let limits = MemoLimits(device: DeviceLimits(perMinute: 10_000, perDay: 10_000))
        guard case .accepted = try await store.accept(memo, limits: limits) else {
            throw StorageError.diskFull
        }
    }

    /// The names of the mails that a drain hands over first.
    private func first(_ limit: Int = 8, after wait: Milliseconds = .seconds(0)) throws -> [String]
    {
        let moment = OutboxClock.system.wallTime().advanced(by: wait)
        return try store.outbox.storage.eligible(at: moment, limit: limit).entries.map { entry in
            let envelope = try Envelope(decoding: entry.envelope)
            let payload = try store.outbox.sealer.open(
                entry.record,
                id: envelope.id,
                kind: envelope.kind,
                createdAt: envelope.createdAt
            )
            return try #require(QueuedMail(decoding: payload)).messageID
        }
    }

    /// Lets the handing over of these mails fail once, so that they wait a minute.
    private func tryOnce() async throws {
        let tried = Mutex(0)
        let queued = try store.outbox.entries(in: .queued, limit: 1000)
        let count = queued.count { $0.envelope?.kind == .memoMail }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let handler: OperationHandler = { operation in
            if operation.kind == .verificationMail { return .done }
            let number = tried.withLock { tried in
                tried += 1
                return tried
            }
            if number == count { end.yield() }
            return .retry("smtp.451")
        }
        let delivery = Task {
            try await store.deliver([.memoMail: handler, .verificationMail: handler])
        }
        for await _ in ends { break }
        try await waitUntil {
            try store.outbox.storage.eligible(at: now, limit: 1).entries.isEmpty
        }
        delivery.cancel()
        _ = await delivery.result
    }

    #if os(Linux)
        @Test(
            "memos are handed over by a thread that stands behind others, codes by one that does not"
        )
        func threads() async throws {
            try await accept("memo", from: signIn(1))
            let seen = Mutex<[OperationKind: Set<CInt>]>([:])
            @Sendable func note(_ kind: OperationKind) {
                let steps = getpriority(.init(PRIO_PROCESS.rawValue), 0)
                seen.withLock { _ = $0[kind, default: []].insert(steps) }
            }
            let handler: OperationHandler = { operation in
                note(operation.kind)
                // Also after the handler waited for another thread.
                try? await Task.sleep(for: .milliseconds(1))
                note(operation.kind)
                return .done
            }
            let kinds: [OperationKind] = [.memoMail, .verificationMail, .deviceMail]
            let delivery = Task {
                try await store.deliver(
                    Dictionary(uniqueKeysWithValues: kinds.map { ($0, handler) })
                )
            }
            try await waitUntil { try store.outbox.counts().queued == 0 }
            delivery.cancel()
            _ = await delivery.result
            let ofCodes = try #require(seen.withLock { $0[.verificationMail]?.first })
            #expect(seen.withLock { $0[.verificationMail] } == [ofCodes])
            #expect(seen.withLock { $0[.memoMail] } == [min(19, ofCodes + 3)])
        }
    #endif

    @Test("the records of mails in flight are not read again")
    func inFlight() async throws {
        let device = try await signIn(1)
        for number in 1...2 { try await accept("\(number)", from: device) }
        let storage = store.outbox.storage
        let moment = OutboxClock.system.wallTime()
        let whole = try storage.eligible(at: moment, limit: 9).entries
        let first = try #require(whole.first?.operationID)
        let parts = try storage.eligible(at: moment, limit: 9, withoutRecordsOf: [first]).entries
        #expect(parts.map(\.id) == whole.map(\.id))
        #expect(parts.map(\.operationID) == whole.map(\.operationID))
        #expect(parts.map(\.record) == [[], whole[1].record])
        #expect(parts.map(\.envelope) == [[], whole[1].envelope])
    }

    @Test("a code leaves although memos hold all their slots, and more memos wait")
    func codes() async throws {
        for person: UInt8 in 1...10 {
            let device = try await signIn(person)
            for number in 1...3 { try await accept("\(person)-\(number)", from: device) }
        }
        let memos = Mutex(0)
        let handed = Mutex<Set<String>>([])
        let delivery = Task {
            try await store.deliver([
                .memoMail: { _ in
                    memos.withLock { $0 += 1 }
                    // A mail server that does not answer.
                    try? await Task.sleep(for: .seconds(3600))
                    return .retry("smtp.timeout")
                },
                .verificationMail: { operation in
                    let name = QueuedMail(decoding: operation.payload)?.messageID ?? "?"
                    handed.withLock { _ = $0.insert(name) }
                    return .done
                },
            ])
        }
        try await waitUntil { memos.withLock { $0 } >= MailPart.memos.window.least }
        try await ask(for: 200)
        try await waitUntil { handed.withLock { $0.contains("code-200") } }
        #expect(memos.withLock { $0 } == 8)
        delivery.cancel()
        _ = await delivery.result
    }

    @Test("a drain hands over codes or memos, never both")
    func parts() async throws {
        try await accept("memo", from: signIn(1))
        #expect(try first() == ["memo"])
        let codes = try store.codes.storage.eligible(at: now.advanced(by: .seconds(9)), limit: 9)
        #expect(codes.entries.count == 1)
        #expect(codes.nextEligibleAt == nil)
    }

    @Test("mails that were tried before and new mails take turns")
    func turns() async throws {
        for person: UInt8 in 1...4 { try await accept("old-\(person)", from: signIn(person)) }
        try await tryOnce()
        #expect(try first() == [])
        for person: UInt8 in 11...30 { try await accept("new-\(person)", from: signIn(person)) }
        #expect(try first().allSatisfy { $0.hasPrefix("new") })
        let names = try first(after: .seconds(120))
        #expect(names.count { $0.hasPrefix("old") } == 4)
        #expect(names.count { $0.hasPrefix("new") } == 4)
        #expect(try first(1, after: .seconds(120)).allSatisfy { $0.hasPrefix("old") })
    }

    @Test("one account takes two slots of new mails, however many mails it has")
    func accounts() async throws {
        let flooder = try await signIn(1)
        for number in 1...300 { try await accept("flood-\(number)", from: flooder) }
        for person: UInt8 in 2...3 { try await accept("honest-\(person)", from: signIn(person)) }
        let names = try first()
        #expect(names == ["flood-1", "flood-2", "honest-2", "honest-3"])
        #expect(try first(1) == ["flood-1"])
    }

    @Test("a mail that waits is announced by its moment, to its own drain alone")
    func moments() async throws {
        try await accept("old", from: signIn(1))
        try await tryOnce()
        let memos = try store.outbox.storage.eligible(at: now, limit: 8)
        #expect(memos.entries.isEmpty && memos.nextEligibleAt != nil)
        let codes = try store.codes.storage.eligible(at: now, limit: 8)
        #expect(codes.entries.isEmpty && codes.nextEligibleAt == nil)
    }

    @Test("a mail whose moment is no number is handed over all the same")
    func damagedMoment() async throws {
        try await accept("old", from: signIn(1))
        _ = try store.storage.write { database in
            try database.run("UPDATE outbox_operation SET due = 'soon' WHERE id > x'0100'")
        }
        #expect(try first() == ["old"])
    }

    @Test("a code that expires before its mail is taken says so in the log")
    func expiry() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let asked = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: RelayFixture.address)
            )
            #expect(asked.status == .accepted)
        }
        fixture.clock.advance(.seconds(86_400))
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.isEmpty)
        #expect(fixture.log.lines.contains { $0.message.hasPrefix("code expired") })
    }
}
