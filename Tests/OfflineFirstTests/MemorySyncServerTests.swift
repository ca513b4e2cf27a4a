import OfflineFirst
import OfflineFirstTesting
import OutboxCore
import OutboxTesting
import SyncCore
import TemporaryFolders
import Testing
import Waiting

/// The test server's own calls, and a device behind its faults.
@Suite(.timeLimit(.minutes(60))) struct MemorySyncServerTests {
    private let server = MemorySyncServer(clock: ManualClock().clock)

    private func creation(
        _ number: UInt64,
        _ name: String = "milk",
        attempt: UInt32 = 0,
        settled: UInt64 = 0
    ) -> PushRequest {
        PushRequest(
            stamp: Stamp(
                time: WallTime(millisecondsSinceEpoch: 1_800_000_000_000),
                id: ChangeID(number: number, node: NodeID(high: 9, low: 9))
            ),
            attempt: attempt,
            key: RecordKey(kind: "item", id: "temporary \(number)"),
            madeOn: 0,
            write: .create([Field("name", name)]),
            settledThrough: settled
        )
    }

    // MARK: Faults of single calls

    @Test("a request that is lost does nothing, and its change was never heard of")
    func requestLost() async throws {
        server.inject(.requestLost(.server("http.503")))
        for _ in 0..<2 {
            await #expect(throws: SyncFailure.server("http.503")) {
                _ = try await server.push(creation(1))
            }
        }
        server.heal()
        #expect(server.rows.isEmpty && server.counts.pushes == 0)
        #expect(try await server.answer(to: creation(1).question).content == nil)
    }

    @Test("a change whose answer is lost is applied, and the question for the answer is answered")
    func answerLost() async throws {
        server.inject(.answerLost(.timedOut), times: 1, into: [.push])
        await #expect(throws: SyncFailure.timedOut) { _ = try await server.push(creation(1)) }
        #expect(server.rows.map { $0.text("name") } == ["milk"])
        let answer = try await server.answer(to: creation(1).question).content
        guard case .accepted(let id, _, _) = answer else { return #expect(Bool(false)) }
        #expect(id == server.rows[0].key.id)
        // The number was of calls.
        #expect(try await server.push(creation(1)).content == answer)
        #expect(server.counts.applied == 1)
    }

    @Test("a fault meets the calls that are named, and no others")
    func calls() async throws {
        server.inject(.requestLost(), into: [.push, .ask])
        _ = try await server.pull(PullRequest(number: 1, cursor: nil))
        await #expect(throws: SyncFailure.offline) { _ = try await server.push(creation(1)) }
        await #expect(throws: SyncFailure.offline) {
            _ = try await server.answer(to: creation(1).question)
        }
    }

    @Test("of two faults the first counts, until it has met its calls")
    func order() async throws {
        server.inject(.refused("first"), times: 1)
        server.inject(.refused("second"))
        #expect(try await server.push(creation(1)).content == .refused("first", nil))
        #expect(try await server.push(creation(2)).content == .refused("second", nil))
    }

    @Test("a repeated request is applied once")
    func repeated() async throws {
        server.inject(.repeated)
        guard case .accepted = try await server.push(creation(1)).content else {
            return #expect(Bool(false))
        }
        #expect(server.counts.pushes == 2 && server.counts.applied == 1)
    }

    @Test("a refusal, and a status 412 without a reason, stay answers: a late copy changes nothing")
    func refusals() async throws {
        server.inject(.refused("too-long"), times: 1)
        server.inject(.preconditionFailed, times: 1)
        #expect(try await server.push(creation(1)).content == .refused("too-long", nil))
        let conflict = try await server.push(creation(2)).content
        #expect(conflict == .conflict(nil, stamp: creation(2).stamp))
        server.repeatAllPushes()
        #expect(server.rows.isEmpty && server.counts.applied == 0)
        let refusal = try await server.answer(to: creation(1).question).content
        #expect(refusal == .refused("too-long", nil))
        // Another attempt is a new request.
        guard case .accepted = try await server.push(creation(2, attempt: 1)).content else {
            return #expect(Bool(false))
        }
    }

    @Test("a number that is settled, or has another content, gets a new node")
    func newNode() async throws {
        _ = try await server.push(creation(1))
        #expect(try await server.push(creation(1, "bread")).content == .newNode)
        _ = try await server.push(creation(2, settled: 1))
        #expect(try await server.push(creation(1)).content == .newNode)
        #expect(server.counts.applied == 2)
    }

    @Test("a call that is held reaches the server when it is released; a cancelled one never does")
    func held() async throws {
        server.hold()
        let first = Task { try await server.push(creation(1)) }
        let second = Task { try await server.push(creation(2)) }
        try await waitUntil { server.heldCount == 2 }
        #expect(server.counts.pushes == 0)
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        server.release()
        _ = try await first.value
        #expect(server.pushes == [creation(1)] && server.heldCount == 0)
        _ = try await server.push(creation(3))
    }

    @Test("identifiers stay different beyond 255 records, and pages hold all of them in order")
    func many() async throws {
        for number in 0..<300 { server.create("item", [Field("name", "\(number)")]) }
        #expect(Set(server.rows.map(\.key)).count == 300)
        let first = try await server.pull(PullRequest(number: 1, cursor: nil)).content
        guard case .page(let rows, let cursor, true) = first else { return #expect(Bool(false)) }
        #expect(rows.map { $0.text("name") } == (0..<100).map { "\($0)" })
        let next = try await server.pull(PullRequest(number: 2, cursor: cursor)).content
        guard case .page(let later, _, true) = next else { return #expect(Bool(false)) }
        #expect(later.first?.text("name") == "100")
    }

    @Test("a test changes rows as another device does")
    func anotherDevice() {
        let key = server.create("item", [Field("name", "milk"), Field("count", "1")])
        server.update(key, [Field("name", "oat milk")])
        #expect(server[key]?.text("name") == "oat milk" && server[key]?.text("count") == "1")
        server.delete(key)
        #expect(server.rows(of: "item").isEmpty && server[key]?.deletion != nil)
        server.put(key, [Field("name", "soy milk")])
        #expect(server.rows(of: "item").map { $0.text("name") } == ["soy milk"])
        server.dropTombstones()
        #expect(server.counts.applied == 4)
    }

    // MARK: A device behind them

    @Test(
        "behind each fault in turn a device loses nothing, doubles nothing, and tells each refusal",
        arguments: [
            SyncFault.requestLost(), .requestLost(.server("http.503")), .answerLost(),
            .answerLost(.server("http.502")), .repeated, .preconditionFailed,
            .refused("out-of-stock"),
        ]
    )
    func device(fault: SyncFault) async throws {
        let folder = try TemporaryFolder()
        let device = try SyncDevice(folder.file("one"), keys: MemoryKeyStore(), server: server)
        for name in ["milk", "bread", "eggs"] {
            try device.records.create("item", [Field("name", name)])
        }
        server.inject(fault, times: 2, into: [.push])
        server.inject(fault, times: 1, into: [.pull, .ask])
        try await device.running {
            try await waitUntil {
                for entry in device.records.snapshot.refused {
                    try device.records.tryAgain(entry.change.id)
                }
                return try device.records.counts() == SyncCounts()
            }
            server.repeatAllPushes()
            try await device.settle()
        }
        #expect(server.texts("name") == ["bread", "eggs", "milk"])
        #expect(device.texts() == ["bread", "eggs", "milk"])
        #expect(server.counts.applied == 3)
    }

    @Test("a refused change, and one whose precondition failed, wait for a person with a reason")
    func entries() async throws {
        let folder = try TemporaryFolder()
        let device = try SyncDevice(folder.file("one"), keys: MemoryKeyStore(), server: server)
        server.inject(.refused("out-of-stock"), times: 1, into: [.push])
        server.inject(.preconditionFailed, times: 1, into: [.push])
        try device.records.create("item", [Field("name", "milk")])
        try device.records.create("item", [Field("name", "bread")])
        try await device.running {
            try await waitUntil { device.records.snapshot.refused.count == 2 }
        }
        let reasons = Set(device.records.snapshot.refused.map(\.reason))
        #expect(reasons == ["out-of-stock", .contradiction])
        #expect(server.rows.isEmpty)
    }
}
