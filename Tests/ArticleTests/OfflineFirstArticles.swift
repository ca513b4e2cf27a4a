import Connectivity
import ConnectivityCore
import Foundation
import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import SyncMessages
import TemporaryFolders
import Testing
import Waiting

// OfflineFirst, and docs/libraries.md

private struct GroceryList: Codable, Sendable, Equatable {
    var title: String
    var shop: String
}

private func download(_ id: Int) async throws -> GroceryList? {
    GroceryList(title: "List \(id)", shop: "baker")
}

private func downloadAll(_ name: CollectionName) async throws -> [(key: Int, value: GroceryList)] {
    [(7, GroceryList(title: "List 7", shop: "baker"))]
}

private func show(
    _ id: Int,
    in storage: SQLiteStorage,
    _ outbox: Outbox<SQLiteStorage>
) async throws {
    let cache = try DiskCache(in: storage, sealer: outbox.sealer)
    let lists = OfflineFirstRepository<Int, GroceryList>(
        "lists",
        in: cache,
        keys: .text,
        values: .json,
        fetch: { id in try await download(id) }
    )
    let list = try await lists.value(for: id)
    try await lists.change(id, to: list.value)
    for await state in lists.states(of: id) {
        print(state.value as Any, state.age as Any, state.isRefreshing)
    }
}

private struct ListStorage: WrappingStorage {
    let base: SQLiteStorage
    let cache: DiskCache
    let name: @Sendable (OperationID, Connection) throws -> CacheKey?

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try base.write { database in
            for settlement in settlements where settlement.transition == .remove {
                guard let name = try name(settlement.id, database) else { continue }
                try cache.settle(name, in: database)
            }
            return try base.settle(settlements, in: database)
        }
    }
}

private struct GroceryRules: SyncRules {
    func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }

    func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? {
        field == Array("list".utf8) ? Array("list".utf8) : nil
    }
}

private func post<Request, Content: Sendable>(
    _ call: String,
    _ request: Request
) async throws -> ServerAnswer<Content> {
    throw SyncFailure.offline
}

private struct GroceryServer: SyncServer {
    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        try await post("pull", request)
    }
    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        try await post("push", request)
    }
    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        try await post("ask", question)
    }
}

private struct SyncMark {
    let sync: ObservedValue<SyncState>

    @MainActor var text: String {
        if sync.value.refusedChanges > 0 { return "\(sync.value.refusedChanges) refused" }
        if sync.value.pendingChanges > 0 { return "\(sync.value.pendingChanges) to send" }
        return sync.value.lastSynced == nil ? "not synchronised yet" : ""
    }
}

private func edit(_ outbox: Outbox<SQLiteStorage>, _ server: some SyncServer) async throws {
    let records = try SyncedRecords(in: outbox, rules: GroceryRules())
    let list = try records.create("list", [Field("title", "Saturday")])  // shown, and on the disk
    try records.create("item", [Field("name", "milk"), Field("list", to: list)])
    try await SyncManager(records, server: server).run()  // until the task is cancelled
}

@Suite("Articles of OfflineFirst")
struct OfflineFirstArticles {
    @Test("the page of the libraries")
    func libraries() async throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let storage = try SQLiteStorage(path: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: MemoryKeyStore())
        let cache = try DiskCache(in: storage, sealer: outbox.sealer)
        let showing = Task { try await show(7, in: storage, outbox) }
        try await waitUntil { try cache.counts().pending == 1 }
        showing.cancel()
        try await showing.value
    }

    @Test("the overview, and the places of a cache")
    func caches() async throws {
        let place = try TemporaryFolder(isInMemory: true)
        let (folder, keys) = (place.path, MemoryKeyStore())
        let storage = try SQLiteStorage(path: place.file("store"))
        let outbox = Outbox(storage: storage, keys: keys)
        do {
            let cache = try DiskCache(in: storage, sealer: outbox.sealer)
            let lists = OfflineFirstRepository<Int, GroceryList>(
                "lists",
                in: cache,
                keys: .text,
                values: .json,
                fetch: { id in try await download(id) }
            )

            let list = try await lists.value(for: 7)
            print(list.value as Any, list.age, list.source)
        }
        let values = try DiskCache(in: storage, sealer: outbox.sealer)
        let images = try DiskCache(
            path: folder + "/images.sqlite",
            keys: keys,
            limits: CacheLimits(entries: 5000, bytes: 200 << 20)
        )
        #expect(try values.counts().entries == 1 && images.counts().entries == 0)
    }

    @Test("showing a value, and a collection by its index")
    func showing() async throws {
        let cache = MemoryCache()
        let lists = OfflineFirstRepository<Int, GroceryList>(
            "lists",
            in: cache,
            keys: .text,
            values: .json,
            indexes: [CollectionIndex("shop") { $0.shop }],
            fetch: { id in try await download(id) },
            fetchCollection: { name in try await downloadAll(name) }
        )

        let atTheBaker = try await lists.values(.by("shop", "baker"))
        #expect(atTheBaker.value?.map(\.key) == [7])
        let list = try await lists.value(for: 7)
        #expect(list.value?.title == "List 7")
    }

    /// The end of the task ends the loop.
    private func look(
        _ lists: OfflineFirstRepository<Int, GroceryList>,
        _ show: (_ title: String, _ isSpinning: Bool, _ note: String) -> Void
    ) async {
        var (title, isSpinning, note) = ("", false, "")
        defer { show(title, isSpinning, note) }
        for await state in lists.states(of: 7) {
            title = state.value?.title ?? ""
            isSpinning = state.isRefreshing
            if state.failure != nil, let age = state.age {
                note = "as of \(age.count / 60_000) minutes ago"
            }
        }
    }

    @Test("a look ends with its task")
    func looking() async throws {
        let lists = OfflineFirstRepository<Int, GroceryList>(
            "lists",
            in: MemoryCache(),
            keys: .text,
            values: .json,
            fetch: { id in try await download(id) }
        )
        let looking = Task { await look(lists) { title, _, _ in print("looked at \(title)") } }
        try await waitUntil { try lists.cached(7) != nil }
        looking.cancel()
        await looking.value
    }

    @Test("a change and its operation are stored, delivered and settled together")
    func changing() async throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let storage = try SQLiteStorage(path: folder.file("store"))
        let keys = MemoryKeyStore()
        let sealer = Sealer(store: keys, storage: storage)
        let cache = try DiskCache(in: storage, sealer: sealer)
        let lists = OfflineFirstRepository<Int, GroceryList>(
            "lists",
            in: cache,
            keys: .text,
            values: .json,
            fetch: { id in try await download(id) }
        )
        let name = try lists.name(of: 7)
        let outbox = Outbox(
            storage: ListStorage(base: storage, cache: cache) { _, _ in name },
            keys: keys
        )
        let list = GroceryList(title: "Mine", shop: "baker")
        let (now, payload) = (OutboxClock.system.wallTime(), [UInt8(7)])

        let change = try cache.seal(lists.change(of: 7, to: list), at: now)
        let operation = try outbox.seal(kind: "list", payload: payload, orderingKey: "list 7")
        try storage.write { database in
            try cache.apply([change], in: database)
            try storage.insert(operation, in: database)
        }
        outbox.inserted(operation)
        await lists.changed(7)

        #expect(try lists.cached(7)?.hasPendingChanges == true)
        try await outbox.drain(["list": { _ in .done }], until: .idle)
        let known = try #require(try lists.cached(7))
        #expect(known.value == list && !known.hasPendingChanges)
        #expect(try outbox.counts() == OutboxCounts())
        try outbox.retireKeys(neededElsewhere: { try cache.keysInUse() })
    }

    @Test("a server by hand answers when the test says so")
    func testing() async throws {
        let server = ManualServer<Int, String?>()
        let lists = OfflineFirstRepository<Int, String>(
            "lists",
            in: MemoryCache(),
            keys: .text,
            values: .text,
            fetch: { try await server.ask($0) }
        )

        async let value = lists.value(for: 7)
        await server.next().answer("milk")
        #expect(try await value.value == "milk")
    }

    @Test("a test of an app that syncs")
    func testingSync() async throws {
        let place = try TemporaryFolder()
        let folder = place.path
        let server = MemorySyncServer()
        var policy = RetryPolicy.device
        policy.base = Milliseconds(5)
        policy.cap = Milliseconds(20)
        let outbox = Outbox(
            storage: try SQLiteStorage(path: folder + "/device"),
            keys: MemoryKeyStore(),
            policy: policy
        )
        let records = try SyncedRecords(in: outbox, rules: GroceryRules())
        let settings = SyncSettings(
            firstWait: Milliseconds(5),
            longestWait: Milliseconds(20),
            recheck: Milliseconds(5)
        )
        let manager = SyncManager(records, server: server, settings: settings) {
            AsyncStream { _ in }
        }

        server.inject(.requestLost())
        server.inject(.answerLost(.timedOut))
        server.inject(.answerLost(), times: 2, into: [.push])
        server.inject(.requestLost(.server("http.503")), times: 3)
        server.inject(.repeated)
        server.inject(.preconditionFailed, times: 1, into: [.push])
        server.inject(.refused("out-of-stock"), times: 1)
        server.heal()
        server.inject(.answerLost(), times: 2, into: [.push])

        let milk = try records.create("item", [Field("name", "milk")])
        try await manager.run(until: .idle)
        #expect(try records.counts() == SyncCounts())
        server.repeatAllPushes()
        #expect(server.rows(of: "item").map { $0.text("name") } == ["milk"])
        #expect(server.counts.applied == 1)

        let name = records.name(of: milk)
        server.update(name, [Field("name", "oat milk")])
        try records.update(milk, [Field("count", "2")])
        try await manager.run(until: .idle)
        #expect(server[name]?.text("count") == "2")
        #expect(server[name]?.text("name") == "oat milk")
    }

    @Test("requests and answers as JSON")
    func messages() throws {
        let stamp = Stamp(
            time: WallTime(millisecondsSinceEpoch: 1),
            id: ChangeID(number: 1, node: NodeID(high: 1, low: 2))
        )
        let written = PushRequest(
            stamp: stamp,
            attempt: 1,
            key: RecordKey(kind: "item", id: "1"),
            madeOn: 1,
            write: .update([Field("name", "milk")]),
            settledThrough: 0
        )
        let data = try JSONEncoder().encode(PushAnswer.accepted(id: [1], version: 2, stamp: stamp))
        func device(_ request: PushRequest) throws -> Data {
            let body = try JSONEncoder().encode(request)
            return body
        }
        func server(_ body: Data) throws -> PushRequest {
            let request = try JSONDecoder().decode(PushRequest.self, from: body)
            return request
        }
        #expect(try server(device(written)) == written)
        let answer = try JSONDecoder().decode(PushAnswer.self, from: data)
        #expect(answer == .accepted(id: [1], version: 2, stamp: stamp))
    }

    @MainActor
    @Test("editing records on several devices, and synchronising")
    func records() async throws {
        let place = try TemporaryFolder(isInMemory: true)
        let (folder, keys) = (place.path, MemoryKeyStore())
        let storage = try SQLiteStorage(path: folder + "/groceries.sqlite")
        let outbox = Outbox(storage: storage, keys: keys)
        let records = try SyncedRecords(in: outbox, rules: GroceryRules())

        let list = try records.create("list", [Field("title", "Saturday")])
        let milk = try records.create("item", [Field("name", "milk"), Field("list", to: list)])
        try records.update(milk, [Field("name", "oat milk")])
        for item in records.snapshot.records(of: "item") {
            print(item.text("name") ?? "", item.word)
        }
        for entry in records.snapshot.refused {
            print(entry.reason, entry.change.fields, entry.server?.fields as Any)
            try records.edit(entry.change.id, [Field("name", "milk")])  // or tryAgain, or discard
        }
        for change in records.snapshot.overruled {
            print("another device's edit stayed in place of", change.values)
            try records.acknowledge(change)
        }

        let other = Outbox(storage: try SQLiteStorage(path: folder + "/other"), keys: keys)
        let editing = Task { try await edit(other, GroceryServer()) }
        try await waitUntil { try other.counts().queued == 2 }
        editing.cancel()
        try await editing.value

        let manager = SyncManager(records, server: GroceryServer())
        let run = Task { try await manager.run() }
        let mark = SyncMark(sync: manager.observed())
        #expect(mark.text == "3 to send")
        try await waitUntil { mark.sync.value.lastError == .offline }
        run.cancel()
        try await run.value
        let refresh = Task { try await manager.run(until: .idle) }
        refresh.cancel()
        try await refresh.value
    }
}

extension SyncState {
    var sentence: String {
        if refusedChanges > 0 { return "\(refusedChanges) refused" }
        if pendingChanges > 0 { return "\(pendingChanges) to send" }
        if isSyncing { return "Synchronising" }
        return lastSynced == nil ? "Not synchronised yet" : "All changes sent"
    }
}

/// The article for views, over types with the names of SwiftUI and UIKit.
@Suite("Articles of OfflineFirst for views", .timeLimit(.minutes(60)))
@MainActor
struct OfflineFirstViewArticles {
    protocol View {
        associatedtype Body
        @MainActor var body: Body { get }
    }

    struct Text: View, Equatable {
        let text: String
        var body: Never { fatalError("a text has no parts") }

        init(_ text: String) { self.text = text }
    }

    @MainActor class UILabel {
        var text: String?
        var isHidden = false
    }

    struct OfflineMark: View {
        let network: ObservedValue<NetworkState>  // NetworkMonitor().observed()

        var body: some View {
            Text(network.value.isConnected ? "" : "Offline")
        }
    }

    struct SyncStatus: View {
        let sync: ObservedValue<SyncState>  // manager.observed()

        var body: some View {
            Text(sync.value.sentence)
        }
    }

    final class OfflineMarkLabel: UILabel {
        private var following: Task<Void, Never>?

        // NetworkMonitor()
        func follow(_ states: some AsyncSequence<NetworkState, Never> & Sendable) {
            text = "Offline"
            isHidden = true
            following = Task { [weak self] in
                for await state in states { self?.isHidden = state.isConnected }
            }
        }

        deinit { following?.cancel() }
    }

    final class SyncStatusLabel: UILabel {
        private var following: Task<Void, Never>?

        // manager.states()
        func follow(_ states: AsyncStream<SyncState>) {
            following = Task { [weak self] in
                for await state in states { self?.text = state.sentence }
            }
        }

        deinit { following?.cancel() }
    }

    @Test("the offline mark and the status of the changes")
    func views() async throws {
        let place = try TemporaryFolder(isInMemory: true)
        let outbox = Outbox(
            storage: try SQLiteStorage(path: place.file("groceries.sqlite")),
            keys: MemoryKeyStore()
        )
        let records = try SyncedRecords(in: outbox, rules: GroceryRules())
        let manager = SyncManager(records, server: GroceryServer())

        let status = SyncStatus(sync: manager.observed())
        let label = SyncStatusLabel()
        label.follow(manager.states())
        #expect(status.body as? Text == Text("Not synchronised yet"))
        try await waitUntil { label.text == "Not synchronised yet" }
        try records.create("item", [Field("name", "milk")])
        let run = Task { try await manager.run() }
        try await waitUntil { label.text == "1 to send" }
        try await waitUntil { status.body as? Text == Text("1 to send") }
        run.cancel()
        try await run.value

        let mark = OfflineMark(network: NetworkMonitor().observed())
        #expect(mark.body as? Text == Text(""))
        let markLabel = OfflineMarkLabel()
        let (states, continuation) = AsyncStream<NetworkState>.makeStream()
        markLabel.follow(states)
        continuation.yield(NetworkState(isConnected: false, arrivals: 0))
        try await waitUntil { !markLabel.isHidden }
        continuation.yield(NetworkState(isConnected: true, arrivals: 1))
        try await waitUntil { markLabel.isHidden }
    }
}
