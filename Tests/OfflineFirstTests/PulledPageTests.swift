import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxTesting
import SyncCore
import Synchronization
import TemporaryFolders
import Testing
import Waiting

@testable import OfflineFirst

/// Pages that are stored in one transaction.
@Suite(.timeLimit(.minutes(60))) struct PulledPageTests {
    private let folder: TemporaryFolder
    private let keys = MemoryKeyStore()

    init() throws { folder = try TemporaryFolder() }

    private func device(_ server: MemorySyncServer = .strict()) throws -> SyncDevice {
        try SyncDevice(folder.file("store"), keys: keys, server: server)
    }

    private func row(_ number: UInt8) -> SyncCore.Row {
        let id = ChangeID(number: UInt64(number), node: NodeID(high: 2, low: 2))
        let stamp = Stamp(time: WallTime(millisecondsSinceEpoch: 1), id: id)
        let name = Field(name: Array("name".utf8), value: [0x60 + number], stamp: stamp)
        return Row(
            key: RecordKey(kind: Array("item".utf8), id: [number]),
            version: UInt64(number),
            fields: [name]
        )
    }

    private func page(
        _ request: PullRequest,
        _ numbers: ClosedRange<UInt8>,
        hasMore: Bool = true
    ) -> PulledPage {
        let answer = PullAnswer.page(
            numbers.map(row),
            cursor: [numbers.upperBound],
            hasMore: hasMore
        )
        let time = WallTime(millisecondsSinceEpoch: 1)
        return PulledPage(request: request, answer: ServerAnswer(answer, serverTime: time))
    }

    @Test("pages are stored together, and the machine asks for the next one once")
    func together() throws {
        let device = try device()
        _ = try device.records.tell(.woken)
        let first = page(try #require(device.records.takePull()), 1...2)
        let second = page(try #require(first.next), 3...4)
        let revision = try #require(device.records.held?.revision)
        #expect(try !device.records.tell([first, second]))
        #expect(device.records.held?.revision == revision + 1)
        #expect(device.texts() == ["a", "b", "c", "d"])
        #expect(device.records.takePull() == second.next)
        #expect(device.records.takePull() == nil)
        let last = page(try #require(second.next), 5...5, hasMore: false)
        #expect(last.next == nil)
        _ = try device.records.tell([last])
        #expect(device.records.takePull() == nil)
        #expect(device.records.snapshot.lastPulled != nil)
    }

    @Test("a page that the machine has not asked for is not taken, nor one behind it")
    func notAskedFor() throws {
        let device = try device()
        _ = try device.records.tell(.woken)
        let first = page(try #require(device.records.takePull()), 1...2)
        let next = try #require(first.next)
        let other = page(PullRequest(number: next.number, cursor: [9]), 3...4)
        let behind = page(try #require(other.next), 5...6)
        _ = try device.records.tell([first, other, behind])
        #expect(device.texts() == ["a", "b"])
        #expect(device.records.takePull() == next)
        // Everything is pulled again meanwhile, under the number that the page has.
        _ = try device.records.tell(.pullFailed(request: next.number))
        _ = try device.records.tell(.refresh)
        let fresh = try #require(device.records.takePull())
        let stale = page(PullRequest(number: fresh.number - 1, cursor: [2]), 3...4)
        _ = try device.records.tell([stale, page(try #require(stale.next), 5...6)])
        #expect(device.texts() == ["a", "b"])
    }

    @Test("the pages before a lost answer are stored, and the pull goes on behind them")
    func lostAnswer() async throws {
        final class Failing: SyncServer {
            let server = MemorySyncServer.strict()
            let cursors = Mutex<[[UInt8]?]>([])

            func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
                let count = cursors.withLock { cursors in
                    cursors.append(request.cursor)
                    return cursors.count
                }
                if count == 3 { throw SyncFailure.offline }
                return try await server.pull(request)
            }
            func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
                try await server.push(request)
            }
            func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
                try await server.answer(to: question)
            }
        }
        let failing = Failing()
        for number in 0..<10 {
            failing.server.create("item", [Field("name", "\(number)")])
        }
        let device = try device(failing.server)
        let manager = SyncManager(device.records, server: failing, settings: SyncDevice.settings) {
            AsyncStream { _ in }
        }
        let run = Task { try await manager.run() }
        try await waitUntil { device.records.snapshot.lastPulled != nil }
        #expect(device.texts().count == 10)
        // The third request came twice, the second time behind what was stored.
        let cursors = failing.cursors.withLock { $0 }
        #expect(cursors[0] == nil && cursors[2] != nil && cursors[3] == cursors[2])
        run.cancel()
        try await run.value
    }
}
