import ConnectivityCore
import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import Synchronization
import TemporaryFolders
import Testing
import Waiting

/// Two devices and a server.
@Suite(.timeLimit(.minutes(60))) struct SyncManagerTests {
    private let folder: TemporaryFolder
    private let server = MemorySyncServer.strict()
    private let keys = MemoryKeyStore()

    init() throws { folder = try TemporaryFolder() }

    private func device(
        _ name: String = "one",
        policy: ConflictPolicy = .newerWins,
        settings: SyncSettings = SyncDevice.settings,
        following: @escaping @Sendable (SyncOccurrence, Connection) throws -> Void = { _, _ in }
    ) throws -> SyncDevice {
        try SyncDevice(
            folder.file(name),
            keys: keys,
            server: server,
            rules: TestRules(policy: policy),
            settings: settings,
            following: following
        )
    }

    @Test("a run until idle ends when all is sent and pulled, whatever waits for a person")
    func untilIdle() async throws {
        let one = try device("one")
        try one.records.create("item", [Field("name", "milk")])
        try one.records.create(
            "item",
            [Field("name", "forbidden"), Field(name: Array("note".utf8), value: [0xFF])]
        )
        try await one.manager.run(until: .idle)
        #expect(try one.outbox.counts() == OutboxCounts())
        #expect(one.manager.state.pendingChanges == 1)
        #expect(one.manager.state.refusedChanges == 1)
        #expect(one.records.snapshot.records(of: "item").first { $0.word == .confirmed } != nil)
        // With nothing to do a run pulls once, and the records of others are here when it ends.
        let two = try device("two")
        let before = server.counts
        try await two.manager.run(until: .idle)
        #expect(two.texts() == ["milk"])
        #expect(server.counts.pushes == before.pushes)
    }

    @Test("while the server is away a run until idle does not end, but by its cancellation")
    func neverIdle() async throws {
        let one = try device("one")
        try one.records.create("item", [Field("name", "milk")])
        server.inject { _ in .requestLost(.offline) }
        let run = Task { try await one.manager.run(until: .idle) }
        try await waitUntil { one.manager.state.lastError != nil }
        #expect(try one.outbox.counts().queued == 1)
        server.heal()
        try await run.value
        #expect(server.texts("name") == ["milk"])
        server.inject { _ in .requestLost(.offline) }
        try one.records.create("item", [Field("name", "bread")])
        let cut = Task { try await one.manager.run(until: .idle) }
        try await waitUntil { one.manager.state.lastError != nil }
        cut.cancel()
        try await cut.value
        #expect(one.manager.state.pendingChanges == 1)
    }

    @Test("what another process stored is sent, also if this one saw it before it looked for it")
    func takenOver() async throws {
        var settings = SyncDevice.settings
        settings.recheck = .seconds(3600)
        let one = try device("one", settings: settings)
        let other = try device("one")
        try await one.running {
            try await waitUntil { one.records.snapshot.lastPulled != nil }
            try other.records.create("item", [Field("name", "milk")])
            try one.records.takeOver()
            try await waitUntil { server.texts("name") == ["milk"] }
        }
    }

    @Test("what one device does offline comes to the server and to the other device")
    func exchange() async throws {
        let one = try device("one")
        let two = try device("two")
        let list = try one.records.create("list", [Field("title", "Saturday")])
        let milk = try one.records.create("item", [Field("name", "milk"), Field("list", to: list)])
        try one.records.update(milk, [Field("count", "2")])
        try await one.running {
            try await one.settle()
            try await waitUntil { try one.outbox.counts() == OutboxCounts() }
        }
        // Each change was sent once, although several operations named one record at a time.
        #expect(server.counts.questions == 0)
        #expect(server.counts.pushes == 3)
        try await two.running { try await waitUntil { two.texts() == ["milk"] } }
        let shown = try #require(one.records.snapshot[one.records.name(of: milk)])
        #expect(shown.bytes("list") == one.records.name(of: list).id)
        #expect(one.records.name(of: list).id != list.id)
        // The temporary name leads to the record.
        try one.records.update(milk, [Field("name", "oat milk")])
        #expect(one.records.snapshot[one.records.name(of: milk)]?.text("count") == "2")
        try await one.running { try await one.settle() }
        #expect(server.texts("name") == ["oat milk"])
    }

    @Test("a lost answer is asked for, and nothing is applied twice")
    func lostAnswer() async throws {
        let device = try device()
        server.inject(.answerLost(), times: 2, into: [.push])
        try device.records.create("item", [Field("name", "milk")])
        try device.records.create("item", [Field("name", "bread")])
        try await device.running { try await device.settle() }
        #expect(server.texts("name") == ["bread", "milk"])
        #expect(server.counts.questions >= 2)
        #expect(server.counts.applied == 2)
    }

    @Test(
        "an error never confirms a change, and is told by its type",
        arguments: [
            SyncFailure.offline, .timedOut, .busy(retryAfter: nil), .server("http.500"),
            .failed(type: "X"),
        ]
    )
    func errors(failure: SyncFailure) async throws {
        let device = try device()
        let milk = try device.records.create("item", [Field("name", "milk")])
        server.inject(.requestLost(failure))
        try await device.running {
            try await waitUntil { device.manager.state.lastError == failure }
            try await waitUntil { try device.outbox.counts().queued == 1 }
            #expect(device.manager.state.pendingChanges == 1)
            #expect(device.manager.state.lastSynced == nil)
            #expect(device.records.snapshot[milk]?.word != .confirmed)
            server.heal()
            device.manager.wake()
            try await device.settle()
            try await waitUntil { device.manager.state.lastError == nil }
        }
        #expect(server.texts("name") == ["milk"])
        #expect(device.manager.state.lastSynced != nil)
    }

    @Test("a refusal is listed with its reason, also after a restart, and blocks nothing else")
    func refusal() async throws {
        let forbidden = Field(name: Array("name".utf8), value: [0xFF])
        let one = try device()
        let bad = try one.records.create("list", [forbidden])
        try one.records.create("item", [Field("name", "milk")])
        try await one.running {
            try await waitUntil {
                one.records.snapshot.refused.count == 1 && server.texts("name") == ["milk"]
            }
        }
        #expect(one.records.snapshot[bad]?.word == .refused)
        one.storage.close()
        let again = try device()
        let entry = try #require(again.records.snapshot.refused.first)
        #expect(entry.reason == RefusalReason(code: Array("forbidden".utf8)))
        #expect(again.manager.state.refusedChanges == 1)
        try again.records.edit(entry.change.id, [Field("name", "allowed")])
        try await again.running { try await again.settle() }
        #expect(server.texts("name") == ["allowed", "milk"])
        #expect(again.records.snapshot.refused.isEmpty)
    }

    @Test("a refused change keeps back those behind it, which go on after the choice")
    func behindRefusal() async throws {
        let device = try device()
        let item = try device.records.create("item", [Field("name", "milk")])
        try await device.running { try await device.settle() }
        try device.records.update(item, [Field(name: Array("note".utf8), value: [0xFF])])
        try device.records.update(item, [Field("name", "oat milk")])
        try await device.running {
            try await waitUntil { device.records.snapshot.refused.count == 1 }
            try await waitUntil { try device.outbox.counts().queued == 0 }
            #expect(server.texts("name") == ["milk"])
            #expect(device.texts() == ["oat milk"])
        }
        try device.records.discard(device.records.snapshot.refused[0].change.id)
        #expect(try device.outbox.counts().queued == 1)
        try await device.running { try await device.settle() }
        #expect(server.texts("name") == ["oat milk"])
    }

    @Test("a change that refers to a discarded creation is refused, and can be tried elsewhere")
    func discardedReference() async throws {
        let device = try device()
        let list = try device.records.create("list", [Field(name: [1], value: [0xFF])])
        let milk = try device.records.create(
            "item",
            [Field("name", "milk"), Field("list", to: list)]
        )
        try await device.running {
            try await waitUntil { device.records.snapshot.refused.count == 1 }
            try device.records.discard(device.records.snapshot.refused[0].change.id)
            try await waitUntil { device.records.snapshot.refused.count == 1 }
            #expect(device.records.snapshot.refused[0].key == milk)
            let other = try device.records.create("list", [Field("title", "other")])
            try device.records.edit(
                device.records.snapshot.refused[0].change.id,
                [Field("list", to: other)]
            )
            try await device.settle()
        }
        #expect(server.texts("name") == ["milk"])
    }

    /// A device whose edit of a record conflicts with one that the server has: "soy milk" with "oat milk".
    private func conflicting(
        _ policy: ConflictPolicy
    ) async throws -> (device: SyncDevice, record: RecordKey) {
        let one = try device("one", policy: policy)
        let two = try device("two", policy: policy)
        let milk = try one.records.create("item", [Field("name", "milk")])
        try await one.running { try await one.settle() }
        try await two.running { try await waitUntil { two.texts() == ["milk"] } }
        let name = one.records.name(of: milk)
        try one.records.update(name, [Field("name", "oat milk")])
        try two.records.update(name, [Field("name", "soy milk")])
        try await one.running { try await one.settle() }
        return (two, name)
    }

    @Test("values that give way are listed until a person has been shown them")
    func overruled() async throws {
        let (two, name) = try await conflicting(.serverWins)
        try await two.running { try await two.settle() }
        #expect(two.texts() == ["oat milk"])
        two.storage.close()
        let again = try device("two", policy: .serverWins)
        let note = try #require(again.records.snapshot.overruled.first)
        #expect(note.key == name)
        #expect(note.values == [Field("name", "soy milk")])
        try again.records.acknowledge(note)
        #expect(again.records.snapshot.overruled.isEmpty)
        #expect(try device("two").records.snapshot.overruled.isEmpty)
    }

    @Test("a conflict of policy manual waits for a person, on the version that the person saw")
    func manual() async throws {
        let (two, _) = try await conflicting(.manual)
        try await two.running {
            try await waitUntil { two.records.snapshot.refused.count == 1 }
            #expect(two.records.snapshot.refused[0].reason == .conflict)
            #expect(two.texts() == ["soy milk"])
            try two.records.tryAgain(two.records.snapshot.refused[0].change.id)
            try await two.settle()
        }
        #expect(server.texts("name") == ["soy milk"])
    }

    @Test("the app's tables follow a new name in the transaction that gives it")
    func following() async throws {
        let device = try device { occurrence, database in
            guard case .renamed(let old, let new) = occurrence else { return }
            try database.run(
                "UPDATE recent SET list = ? WHERE list = ?",
                .blob(new.id),
                .blob(old.id)
            )
        }
        try device.storage.write { try $0.execute("CREATE TABLE recent(list BLOB)") }
        let list = try device.records.change { edits in
            let list = try edits.create("list", [Field("title", "Saturday")])
            try edits.database.run("INSERT INTO recent VALUES (?)", .blob(list.id))
            return list
        }
        try await device.running { try await device.settle() }
        let recent = try device.storage.read {
            try $0.first("SELECT list FROM recent") { $0.blob(0) }
        }
        #expect(recent == device.records.name(of: list).id)
        #expect(recent != list.id)
    }

    @Test("if the app's tables cannot follow, the answer is asked for again and nothing is lost")
    func followingFails() async throws {
        struct Stop: Error {}
        let fails = Mutex(3)
        let device = try device { occurrence, _ in
            guard case .renamed = occurrence else { return }
            let isFailing = fails.withLock { fails in
                fails -= 1
                return fails >= 0
            }
            if isFailing { throw Stop() }
        }
        try device.records.create("item", [Field("name", "milk")])
        try await device.running { try await device.settle() }
        #expect(server.counts.applied == 1)
        #expect(fails.withLock { $0 } < 0)
    }

    @Test(
        "of two managers over one database one runs; the other shows its work, then takes its place"
    )
    func twoManagers() async throws {
        let one = try device()
        let two = try device()
        let first = Task { try await one.manager.run() }
        try await waitUntil { one.manager.state.lastSynced != nil }
        let second = Task { try await two.manager.run() }
        try await waitUntil { two.manager.state.isElsewhere }
        try two.records.create("item", [Field("name", "milk")])
        try await waitUntil { server.texts("name") == ["milk"] }
        try await waitUntil { two.records.snapshot.records(of: "item").map(\.word) == [.confirmed] }
        first.cancel()
        try await first.value
        try await waitUntil { !two.manager.state.isElsewhere }
        try one.records.create("item", [Field("name", "bread")])
        try await waitUntil { server.texts("name") == ["bread", "milk"] }
        second.cancel()
        try await second.value
    }

    @Test("a change without its operation gets a new one at the next start")
    func missingOperation() async throws {
        let device = try device()
        try device.records.create("item", [Field("name", "milk")])
        try device.records.create("item", [Field("name", "bread")])
        for entry in try device.outbox.entries(in: .queued).prefix(1) {
            try device.storage.delete(entry.entryID)
        }
        try await device.running { try await device.settle() }
        #expect(server.texts("name") == ["bread", "milk"])
        // A start adds none that is not missing.
        server.inject(.requestLost(.offline))
        try device.records.create("item", [Field("name", "eggs")])
        for _ in 0..<3 {
            try await device.running {
                try await waitUntil { device.manager.state.lastError == .offline }
            }
        }
        #expect(try device.outbox.counts().queued == 1)
    }

    @Test("a record that was tampered with is pulled again")
    func tampered() async throws {
        let device = try device()
        try device.records.create("item", [Field("name", "milk")])
        try await device.running { try await device.settle() }
        try device.storage.write { try $0.run("UPDATE sync_records SET body = zeroblob(60)") }
        device.storage.close()
        let again = try self.device()
        #expect(again.texts() == [])
        // Not only in the process that found it.
        again.storage.close()
        let later = try self.device()
        try await later.running { try await waitUntil { later.texts() == ["milk"] } }
        #expect(try later.records.countSetAside() == 0)
    }

    @Test("a deleted record stays deleted, and a tombstone reaches the other device")
    func deletion() async throws {
        let one = try device("one")
        let two = try device("two")
        let milk = try one.records.create("item", [Field("name", "milk")])
        try await one.running { try await one.settle() }
        try await two.running { try await waitUntil { two.texts() == ["milk"] } }
        try one.records.delete(milk)
        try await one.running { try await one.settle() }
        try await two.running { try await waitUntil { two.texts() == [] } }
        #expect(one.texts() == [])
        #expect(server.texts("name") == [])
    }

    @Test("what arrives meanwhile does not hide or confirm what is pending")
    func pendingOverPull() async throws {
        let one = try device("one")
        let two = try device("two")
        let milk = try one.records.create("item", [Field("name", "milk"), Field("count", "1")])
        try await one.running { try await one.settle() }
        try await two.running { try await waitUntil { two.texts() == ["milk"] } }
        let name = one.records.name(of: milk)
        try two.records.update(name, [Field("name", "oat milk")])
        try one.records.update(name, [Field("count", "2")])
        try await one.running { try await one.settle() }
        try await two.running { try await two.settle() }
        #expect(two.texts() == ["oat milk"])
        #expect(two.texts("count") == ["2"])
        #expect(server.texts("count") == ["2"])
    }

    @Test("the network's return, and a person, end the waits of an hour that being offline began")
    func networkReturns() async throws {
        var settings = SyncDevice.settings
        settings.firstWait = .seconds(3600)
        settings.longestWait = .seconds(3600)
        let (states, network) = AsyncStream<NetworkState>.makeStream()
        let device = try SyncDevice(
            folder.file("one"),
            keys: keys,
            server: server,
            settings: settings,
            retry: .seconds(3600),
            network: { states }
        )
        network.yield(NetworkState(isConnected: false, arrivals: 0))
        server.inject(.requestLost(.offline))
        try device.records.create("item", [Field("name", "milk")])
        try await device.running {
            func isWaiting() throws -> Bool {
                try device.outbox.entries(in: .queued).allSatisfy {
                    $0.envelope?.waitCause == .network
                } && device.manager.state.lastError == .offline && !device.manager.state.isSyncing
            }
            try await waitUntil(isWaiting)
            server.heal()
            network.yield(NetworkState(isConnected: true, arrivals: 1))
            try await device.settle()
            server.inject(.requestLost(.offline))
            try device.records.create("item", [Field("name", "bread")])
            try await waitUntil(isWaiting)
            server.heal()
            device.manager.wake()
            try await device.settle()
        }
        #expect(server.texts("name") == ["bread", "milk"])
    }

    @Test("a device in the foreground pulls what others have done, without a reason")
    func foreground() async throws {
        var settings = SyncDevice.settings
        settings.foregroundInterval = Milliseconds(5)
        let one = try device("one", settings: settings)
        let two = try device("two")
        try await one.running {
            try await waitUntil { one.manager.state.lastSynced != nil }
            try two.records.create("item", [Field("name", "milk")])
            try await two.running { try await two.settle() }
            try await waitUntil { one.texts() == ["milk"] }
        }
    }

    @Test("a pull that does not end is given up, and the next one is tried")
    func hangingServer() async throws {
        final class Hanging: SyncServer {
            let calls = Mutex(0)

            func hang() async throws -> Never {
                // It does not even listen to its cancellation.
                while true {
                    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                }
            }
            func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
                calls.withLock { $0 += 1 }
                try await hang()
            }
            func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
                try await hang()
            }
            func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
                try await hang()
            }
        }
        let device = try device()
        var settings = SyncDevice.settings
        settings.requestLimit = Milliseconds(10)
        let server = Hanging()
        let manager = SyncManager(device.records, server: server, settings: settings) {
            AsyncStream { _ in }
        }
        let run = Task { try await manager.run() }
        try await waitUntil { manager.state.lastError == .timedOut }
        try await waitUntil { server.calls.withLock { $0 } >= 2 }
        run.cancel()
        try await run.value
    }

    @Test("states begin with the present one; a closed storage ends the run with its error")
    func states() async throws {
        let device = try device()
        var states = device.manager.states().makeAsyncIterator()
        #expect(await states.next() == SyncState())
        let run = Task { try await device.manager.run() }
        try await waitUntil { device.manager.state.lastSynced != nil }
        #expect(await states.next() != nil)
        device.storage.close()
        await #expect(throws: SyncFailure.records(.storage(.closed))) { try await run.value }
    }
}
