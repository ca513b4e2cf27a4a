import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayTesting
import SQLite
import TemporaryFolders
import TestSeeds
import Testing

@testable package import OutboxSimulation
@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

private typealias Simulated = RelayStoreConformance<SimulatedRelayStore>

/// The simulated store of the relay is worth nothing unless it does what the real one does.
@Suite("The relay's stores of memos")
struct MemoStoreTests {
    private static let time = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private static let secret = RelaySecret(bytes: [UInt8](repeating: 7, count: 32))
    private static let address = MailAddress("somebody@inbox.example")!

    @Test("the simulated store keeps a store's promises", arguments: Simulated.checks)
    fileprivate func promises(_ check: Simulated.Check) async throws {
        try await check.run(
            on: SimulatedRelayStore(
                secret: Self.secret,
                database: RelayDatabase(),
                keys: MemoryKeyStore(keys: [.random()]),
                disturbance: { await Task.yield() },
                newOperationID: { .random(at: OutboxClock.system.wallTime()) }
            )
        )
    }

    @Test(
        "the simulated store answers whatever SQLite's answers, through a random life",
        arguments: TestSeeds["relay-store-life"]
    )
    func equality(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        let sqlite = try SQLiteRelayStore(folder: folder.path, keys: keys)
        let database = RelayDatabase()
        let simulated = SimulatedRelayStore(
            secret: Self.secret,
            database: database,
            keys: keys,
            disturbance: {},
            newOperationID: { .random(at: Self.time) }
        )
        let devices = [
            try await device(0, of: 0, in: sqlite), try await device(1, of: 0, in: sqlite),
            try await device(2, of: 1, in: sqlite),
        ]
        // The devices are signed in to the one store alone.
        try database.transaction { tables in
            for device in devices { _ = tables.countChange(of: device.account) }
        }
        var random = SeededRandom(seed: seed)
        let ids = (0..<12).map { OperationID(time: Self.time, random: (0, $0)) }
        let limits = MemoLimits(
            device: DeviceLimits(perMinute: 3, perDay: 9),
            account: AccountLimits(bytesPerDay: 90, waiting: 12, waitingBytes: 120),
            network: NetworkLimits(perHour: 6, perSiteHour: 8),
            servicePerDay: 14
        )
        var (decisions, now) = (Set<String>(), Self.time)
        for step in 0..<600 {
            let comment: Comment = "seed \(seed), step \(step)"
            // Four new memos in one minute, and the first one again: every decision once.
            let isOpening = step < 5
            let device = isOpening ? devices[0] : devices.randomElement(using: &random)!
            let id = isOpening ? ids[step % 4] : ids.randomElement(using: &random)!
            switch isOpening ? 0 : Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let memo = memo(
                    id,
                    from: device,
                    at: now,
                    content: UInt8.random(in: 0...1, using: &random),
                    size: isOpening ? 1 : Int.random(in: 0...40, using: &random),
                    networks: networks(isOpening ? 0 : UInt8.random(in: 0...2, using: &random))
                )
                let decision = try await sqlite.accept(memo, limits: limits)
                #expect(try await simulated.accept(memo, limits: limits) == decision, comment)
                switch decision {
                case .accepted: decisions.insert("accepted")
                case .acceptedBefore: decisions.insert("accepted before")
                case .revoked: decisions.insert("revoked")
                case .overLimit: decisions.insert("over limit")
                }
            case 5:
                let fates: [MemoFate] = [.delivered, .bounced("smtp.550"), .expired("smtp.451")]
                let fate = fates.randomElement(using: &random)!
                let key = RelayDatabase.Key(account: device.account, id: id)
                guard let operation = try database.transaction({ $0.memos[key]?.operation }),
                    let real = try await self.operation(of: id, device.account, in: sqlite)
                else { continue }
                try settle(real, fate, in: sqlite.outbox.storage)
                try settle(operation, fate, in: database.memos)
            case 6:
                let number = Int64.random(in: 0...20, using: &random)
                let limit = Int.random(in: 1...8, using: &random)
                let changes = try await sqlite.changes(
                    of: device.account,
                    after: number,
                    limit: limit
                )
                #expect(
                    try await simulated.changes(of: device.account, after: number, limit: limit)
                        == changes,
                    comment
                )
            case 7:
                let sender = MemoSender(
                    mailbox: random.isTrue(200) ? nil : MailboxID(bits: device.account.bits),
                    createdAt: random.isTrue(300) ? nil : device.accountCreatedAt,
                    pair: [0, 1],
                    networks: networks(UInt8.random(in: 0...2, using: &random))
                )
                let usages = try await sqlite.usages(of: sender, limits: limits, at: now)
                #expect(
                    try await simulated.usages(of: sender, limits: limits, at: now)
                        == usages,
                    comment
                )
                let record = try await sqlite.memo(id, of: device.account)
                #expect(try await simulated.memo(id, of: device.account) == record, comment)
            default:
                let jump = Int64.random(in: -40_000...90_000, using: &random)
                now = now.advanced(by: Milliseconds(random.isTrue(20) ? jump * 2000 : jump))
            }
        }
        #expect(decisions.count == 3, "seed \(seed)")
        #expect(
            try database.mails.counts().queued
                == sqlite.outbox.entries(in: .queued, limit: 1000)
                .count { $0.envelope?.kind == .memoMail },
            "seed \(seed)"
        )
    }

    private func device(
        _ number: UInt8,
        of person: UInt8,
        in store: SQLiteRelayStore
    ) async throws -> AuthenticatedDevice {
        let mail = QueuedMail(
            sender: "a@b.example",
            recipient: "c@d.example",
            messageID: "e",
            message: []
        )
        let new = NewVerification(
            handle: [number],
            addressKey: [person],
            subjects: [.pair: [0, number], .address: [1, number], .network: [2, number]],
            now: Self.time
        ) { _, _ in CodeLetter(code: [1], longCode: [1], mail: mail) }
        let decision = try await store.startVerification(new, rules: VerificationRules())
        #expect(decision == .send(digits: 6))
        let confirmation = Confirmation(
            code: .digits([1], handle: [number]),
            addressKey: [person],
            address: Self.address,
            mailbox: MailboxID(bits: OperationID(high: 3, low: UInt64(person))),
            tokenHash: [number],
            deviceName: "device",
            now: Self.time,
            announcement: { _ in mail }
        )
        #expect(try await store.confirm(confirmation, rules: VerificationRules()) == .granted)
        return try #require(try await store.device(tokenHash: [number]))
    }

    private func memo(
        _ id: OperationID,
        from device: AuthenticatedDevice,
        at time: WallTime,
        content: UInt8,
        size: Int,
        networks: [[UInt8]]
    ) -> NewMemo {
        NewMemo(
            id: id,
            account: device.account,
            mailbox: MailboxID(bits: device.account.bits),
            sender: MemoSender(
                mailbox: MailboxID(bits: device.account.bits),
                createdAt: device.accountCreatedAt,
                pair: [0, 1],
                networks: networks
            ),
            device: device.id,
            contentCode: [content],
            response: id.bytes,
            acceptedAt: time,
            mail: QueuedMail(
                sender: "a@b.example",
                recipient: "c@d.example",
                messageID: "\(id)",
                message: Array(repeating: 1, count: size)
            )
        )
    }

    /// Networks of two sites.
    private func networks(_ number: UInt8) -> [[UInt8]] { [[1, number], [2, number / 2]] }

    /// Records an outcome as a drain does, also of a mail that has left the queue.
    private func settle(
        _ operation: OperationID,
        _ fate: MemoFate,
        in storage: some OutboxStorage
    ) throws {
        let stored = try storage.entry(for: operation)
        var envelope = Envelope(id: operation, kind: .memoMail, createdAt: Self.time)
        if case .park(let reason) = fate.outcome { envelope.lastError = reason }
        try storage.settle([
            Settlement(
                entry: stored?.id ?? EntryID(rawValue: .max),
                id: operation,
                transition: fate == .delivered ? .remove : .park(envelope)
            )
        ])
    }

    private func operation(
        of id: OperationID,
        _ account: AccountID,
        in store: SQLiteRelayStore
    ) async throws -> OperationID? {
        try store.read { database in
            try database.first(
                "SELECT operation FROM memo WHERE account = ? AND id = ?",
                .blob(account.bits.bytes),
                .blob(id.bytes)
            ) { try OperationID(column: $0.blob(0)) }
        }
    }
}

extension SimulatedRelayStore: TestedStore {
    package func hasDueMail() async throws -> Bool {
        let now = OutboxClock.system.wallTime()
        return try database.parts.contains { try !$0.eligible(at: now, limit: 1).entries.isEmpty }
    }

    package func operators() throws -> SimulatedRelayStore { self }
}
