import Hummingbird
import MemoCore
import Outbox
import OutboxCore
import RelayAPI
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
            DiskReserve(bytes: 1_000_000) { DiskReserve.Space(free: free, total: total) }.hasRoom()
        }
        #expect(hasRoom(500, of: 10_000) && !hasRoom(499, of: 10_000))
        #expect(hasRoom(1_000_000, of: .max) && !hasRoom(999_999, of: .max))
        #expect(DiskReserve(bytes: .max) { nil }.hasRoom())
        #expect(DiskReserve.none.hasRoom())
    }

    @Test("reads the space of its own folder")
    func realSpace() throws {
        let space = try #require(DiskReserve.space(of: fixture.folder.path))
        #expect(space.total > 0 && (0...space.total).contains(space.free))
        #expect(DiskReserve.space(of: fixture.folder.path + "/nowhere") == nil)
    }
}
