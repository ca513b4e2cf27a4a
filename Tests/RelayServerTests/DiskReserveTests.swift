import Hummingbird
import LibC
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import Synchronization
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A relay whose disk is almost full")
struct DiskReserveTests {
    /// The free space of a disk of 100 GB, which a test sets.
    private final class Disk: Sendable {
        private let state = Mutex((free: Int64(50_000_000_000), looksLeft: 0))

        var space: DiskReserve.Space {
            let free = state.withLock { state in
                defer { state.looksLeft -= 1 }
                return state.looksLeft > 0 ? 50_000_000_000 : state.free
            }
            return DiskReserve.Space(free: free, total: 100_000_000_000)
        }

        /// - Parameter looks: How often there is still room for who looks.
        func leave(_ bytes: Int64, afterLooks looks: Int = 0) {
            state.withLock { $0 = (bytes, looks) }
        }
    }

    private let disk = Disk()
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func open() throws -> Relay<SQLiteRelayStore> {
        try fixture.open { [disk] configuration in
            configuration.diskReserve = 1_000_000
            configuration.space = { _ in disk.space }
        }
    }

    @Test("takes no new memo and no request for a code, and says when to come again")
    func refuses() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        disk.leave(999_999)
        try await relay.application().test(.router) { client in
            let asked = VerificationRequest(address: "other@example.org")
            for answer in [
                try await client.put(.new(), MemoRequest(text: "canary"), token: token),
                try await client.post(RelayPath.verifications, asked),
            ] {
                #expect(answer.status == .serviceUnavailable)
                #expect(try answer.problemCode() == .unavailable)
                #expect(answer.headers[.retryAfter] == "60")
            }
            #expect(try relay.store.outbox.counts() == OutboxCounts())
            disk.leave(1_000_000)
            let taken = try await client.put(.new(), MemoRequest(text: "x"), token: token)
            #expect(taken.status == .accepted)
        }
    }

    @Test("takes no memo for which there was room before its body came")
    func fillsMeanwhile() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        disk.leave(0, afterLooks: 1)
        try await relay.application().test(.router) { client in
            let answer = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
            #expect(try answer.problemCode() == .unavailable)
            #expect(try relay.store.outbox.counts() == OutboxCounts())
        }
    }

    @Test("delivers accepted memos, answers repetitions, and tells their fates")
    func goesOn() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let id = OperationID.new()
        let memo = MemoRequest(text: "canary")
        try await relay.application().test(.router) { client in
            #expect(try await client.put(id, memo, token: token).status == .accepted)
            disk.leave(0)
            #expect(try await client.put(id, memo, token: token).status == .accepted)
            try await fixture.deliver(relay)
            let status = try await client.send(RelayPath.memo(id), method: .get, token: token)
                .decoded(MemoStatus.self)
            #expect(status.status == .delivered)
            #expect(try relay.store.outbox.counts() == OutboxCounts())
        }
    }

    @Test("has room on a small disk with a twentieth of it free, and where nobody can tell")
    func smallDisk() {
        func hasRoom(_ free: Int64, of total: Int64) -> Bool {
            let space = DiskReserve.Space(free: free, total: total)
            return DiskReserve(bytes: 1_000_000, space: { space }).hasRoom()
        }
        #expect(hasRoom(500, of: 10_000) && !hasRoom(499, of: 10_000))
        #expect(hasRoom(1_000_000, of: .max) && !hasRoom(999_999, of: .max))
        #expect(DiskReserve(bytes: .max, space: { nil }).hasRoom())
        #expect(DiskReserve.none.hasRoom())
    }

    @Test("has room inside of the database for one half of the reserve, never for the other")
    func reusable() {
        func hasRoom(free: Int64, reusable: Int64) -> Bool {
            let space = DiskReserve.Space(free: free, total: .max)
            return DiskReserve(bytes: 1000, space: { space }, reusable: { reusable }).hasRoom()
        }
        #expect(hasRoom(free: 1000, reusable: 0) && !hasRoom(free: 999, reusable: 0))
        #expect(hasRoom(free: 500, reusable: 500) && !hasRoom(free: 500, reusable: 499))
        #expect(!hasRoom(free: 499, reusable: 1_000_000))
    }

    @Test("takes memos again once the refused mails that filled it are discarded")
    func discarded() async throws {
        let relay = try openSmall()
        let token = try await fixture.token(relay)
        fixture.transport.answer(.refused("smtp.550"))
        try await refuse(400, token, relay)
        while relay.reserve.hasRoom() { try lengthen(8, relay) }
        let operators = try OperatorDatabase(folder: fixture.folder.path)
        try await relay.application().test(.router) { client in
            let full = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
            #expect(try full.problemCode() == .unavailable)
            let discarded = try await operators.discard(MailFilter())
            #expect(discarded.count > 300)
            let taken = try await client.put(.new(), MemoRequest(text: "x"), token: token)
            #expect(taken.status == .accepted)
        }
        fixture.transport.answer(.accepted)
        try await fixture.deliver(relay)
        #expect(try relay.store.outbox.counts() == OutboxCounts())
    }

    @Test("takes memos on each of 30 days on which all mails are refused")
    func refusedMonth() async throws {
        let relay = try openSmall()
        let token = try await fixture.token(relay)
        fixture.transport.answer(.refused("smtp.550"))
        let sweeper = RelaySweeper(
            store: relay.store,
            age: RunningAge(lifetime: relay.configuration.deadLetterLifetime),
            room: { relay.configuration.deadLetterRoom },
            monotonic: { Milliseconds(0) },
            clock: relay.clock,
            logger: relay.logger
        )
        for _ in 1...30 {
            try await refuse(8, token, relay)
            try lengthen(8, relay)
            await sweeper.makeRoom()
            #expect(relay.reserve.hasRoom())
            fixture.clock.advance(.seconds(86_400))
        }
        let letters = try OperatorDatabase(folder: fixture.folder.path).deadLetters()
        #expect((80_000_000...100_000_000).contains(letters.reduce(0) { $0 + $1.bytes }))
        #expect(
            fixture.log.lines.contains { $0.message == "dead letters discarded for their room" }
        )
    }

    /// A relay on a disk of 400 MB, which holds nothing but its database.
    private func openSmall() throws -> Relay<SQLiteRelayStore> {
        try fixture.open { [folder = fixture.folder.path] configuration in
            configuration.memoLimits = MemoLimits(
                device: DeviceLimits(perMinute: 1_000_000, perDay: 1_000_000)
            )
            configuration.space = { _ in
                let files = ["relay.sqlite", "relay.sqlite-wal"].map { folder + "/" + $0 }
                let used = files.reduce(Int64(0)) { $0 + Self.size(of: $1) }
                return DiskReserve.Space(free: 400_000_000 - used, total: 400_000_000)
            }
        }
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Sends memos whose mails are refused.
    private func refuse(
        _ count: Int,
        _ token: String,
        _ relay: Relay<SQLiteRelayStore>
    ) async throws {
        try await relay.application().test(.router) { client in
            for _ in 1...count {
                let answer = try await client.put(.new(), MemoRequest(text: "x"), token: token)
                #expect(answer.status == .accepted)
            }
        }
        try await fixture.deliver(relay)
    }

    /// Makes some short dead letters a megabyte long. To seal so long ones would take minutes.
    private func lengthen(_ count: Int, _ relay: Relay<SQLiteRelayStore>) throws {
        let short =
            "SELECT entry FROM dead_letter WHERE bytes < 1048576 ORDER BY entry LIMIT \(count)"
        try relay.store.storage.write { database in
            try database.execute(
                """
                UPDATE outbox_operation SET record = zeroblob(1048576) WHERE entry IN (\(short));
                UPDATE dead_letter SET bytes = 1048576 WHERE entry IN (\(short));
                """
            )
        }
    }

    @Test("reads the space of its own folder")
    func realSpace() throws {
        let space = try #require(DiskReserve.space(of: fixture.folder.path))
        #expect(space.total > 0 && (0...space.total).contains(space.free))
        #expect(DiskReserve.space(of: fixture.folder.path + "/nowhere") == nil)
    }
}
