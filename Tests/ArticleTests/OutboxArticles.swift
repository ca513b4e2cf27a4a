import Connectivity
import ConnectivityCore
import Foundation
import Logging
import Outbox
import OutboxCore
import OutboxFiles
import OutboxLogging
import OutboxSQLite
import OutboxSecretService
import OutboxTesting
import SQLite
import Synchronization
import TemporaryFolders
import Testing

@Suite("Articles of Outbox", .timeLimit(.minutes(60)))
struct OutboxArticles {
    private let bytes = Array("Buy milk".utf8)

    @Sendable private func send(_ operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        .done
    }

    @Test func overview() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        do {
            let outbox = Outbox(  // `folder` exists
                storage: try SQLiteStorage(path: folder + "/outbox.sqlite"),
                keys: FileKeyStore(path: folder + "/outbox.key")
            )

            try await outbox.enqueue(kind: "note", payload: bytes)  // on the disk when this returns
            let draining = Task {
                try await outbox.drain(["note": { await send($0) }])  // until the task is cancelled
            }
            for await state in outbox.states() where state.total == 0 { break }
            draining.cancel()
            try await draining.value
        }
    }

    @Test func librariesPage() async throws {
        @Sendable func post(_ payload: [UInt8], id: OperationID) async -> Bool { true }

        func run() async throws {
            let outbox = Outbox(
                storage: try SQLiteStorage(path: "notes.sqlite"),
                keys: FileKeyStore(path: "notes.key")
            )
            try await outbox.enqueue(  // on the disk from here on
                kind: "note",
                payload: Array("Buy milk".utf8),
                orderingKey: "list \(7)"
            )
            Task {
                for await state in outbox.states() {
                    print("\(state.queued) to send, \(state.parked) refused")
                }
            }
            try await outbox.drain(
                [
                    "note": { note in
                        await post(note.payload, id: note.id) ? .done : .retry("post.failed")
                    }
                ],
                until: .idle
            )
        }
        _ = run
    }

    struct CustomerOrder {
        let id: OperationID
    }

    @Test func enqueueing() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        do {
            let outbox = Outbox(
                storage: try SQLiteStorage(path: folder + "/outbox.sqlite"),
                keys: MemoryKeyStore()
            )
            do {
                let id = try await outbox.enqueue(kind: "note", payload: bytes)
                #expect(try outbox.open(id).payload == bytes)
            }
            let uuid = UUID()
            let order = CustomerOrder(
                id: try #require(OperationID(text: uuid.uuidString.utf8))
            )
            try await outbox.enqueue(kind: "order", payload: bytes, id: order.id)
            #expect("\(order.id)" == uuid.uuidString.lowercased())

            try outbox.storage.write { database in  // once, when the app starts
                try database.run(
                    "CREATE TABLE IF NOT EXISTS history(id BLOB PRIMARY KEY, status TEXT)"
                )
                try database.run("CREATE TABLE IF NOT EXISTS draft(text BLOB)")
            }

            let operation = try outbox.seal(kind: "note", payload: bytes)
            try outbox.storage.write { database in
                try outbox.storage.insert(operation, in: database)
                try database.run(
                    "INSERT INTO history(id, status) VALUES (?, 'queued')",
                    .blob(operation.envelope.id.bytes)
                )
                try database.run("DELETE FROM draft")
            }
            outbox.inserted(operation)
            #expect(try outbox.counts().queued == 3)
        }
    }

    @Test func choosingAStorage() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        do {
            do {
                let storage = try SQLiteStorage(path: folder + "/outbox.sqlite")
                #expect(try storage.counts().queued == 0)
            }
            do {
                let storage = try FileStorage(folder: folder + "/outbox")
                let outbox = Outbox(
                    storage: storage,
                    keys: FileKeyStore(path: folder + "/outbox.key")
                )
                #expect(try outbox.counts().queued == 0)
            }
            do {
                let storage = try SQLiteStorage(path: folder + "/outbox.sqlite")
                let outbox = Outbox(
                    storage: storage,
                    keys: FileKeyStore(path: folder + "/outbox.key")
                )
                #expect(try outbox.counts().queued == 0)
            }
        }
    }

    @Test func closing() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
        let outbox = Outbox(
            storage: try FileStorage(folder: folder),
            keys: MemoryKeyStore()
        )
        await outbox.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    struct Document {
        let id = 7
    }

    final class Badge: Sendable {
        private let kept = Mutex(true)

        var isHidden: Bool {
            get { kept.withLock { $0 } }
            set { kept.withLock { $0 = newValue } }
        }
    }

    @Test func lanes() async throws {
        let storage = MemoryStorage()
        let keys = MemoryKeyStore()
        let outbox = Outbox(
            storage: storage,
            keys: keys,
            lanePolicy: { lane in
                lane.bytes.starts(with: Array("document ".utf8)) ? .blockLane : .skipAndPark
            }
        )
        let (document, edit, badge) = (Document(), bytes, Badge())
        try await outbox.enqueue(
            kind: "edit",
            payload: edit,
            orderingKey: "document \(document.id)"
        )
        try await outbox.drain(["edit": { _ in .park("refused") }], until: .idle)
        nonisolated(unsafe) var title = ""
        let watching = Task {
            for await state in outbox.states() {
                badge.isHidden = !state.needsAttention
                title = "\(state.queued) edits to send, \(state.parked) refused"
            }
        }
        while badge.isHidden { await Task.yield() }
        watching.cancel()
        await watching.value
        #expect(title == "0 edits to send, 1 refused")
    }

    struct Answer {
        let status: Int
        let retryAfter: Int64
    }

    struct Client {
        func put(_ path: String, _ body: [UInt8]) async throws -> Answer {
            Answer(status: 204, retryAfter: 0)
        }
    }

    @Test func writingAHandler() async throws {
        let outbox = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore())
        let client = Client()
        try await outbox.enqueue(kind: "note", payload: bytes)
        let draining = Task {
            let handler: OperationHandler = { operation in
                let answer: Answer
                do {
                    answer = try await client.put("/notes/\(operation.id)", operation.payload)
                } catch {
                    return .retryOnNetwork("unreachable")
                }
                switch answer.status {
                case 200..<300: return .done
                case 429, 503: return .retryAfter(.seconds(answer.retryAfter), "busy")
                case 400, 413, 422: return .park("refused")
                default: return .retry("failed")
                }
            }
            try await outbox.drain(["note": handler])
        }
        for await state in outbox.states() where state.total == 0 { break }
        draining.cancel()
        try await draining.value
    }

    private struct NoteStorage: WrappingStorage {
        let base: SQLiteStorage

        func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
            try base.write { database in
                for settlement in settlements where settlement.transition == .remove {
                    try database.run(
                        "UPDATE note SET sent = 1 WHERE id = ?",
                        .blob(settlement.id.bytes)
                    )
                }
                return try base.settle(settlements, in: database)
            }
        }
    }

    @Test func rowsOfYourOwn() async throws {
        let temporary = try TemporaryFolder()
        let path = temporary.file("notes.sqlite")
        let keys = MemoryKeyStore()
        let outbox = Outbox(storage: NoteStorage(base: try SQLiteStorage(path: path)), keys: keys)
        let storage = outbox.storage.base
        try storage.write { try $0.execute("CREATE TABLE note(id BLOB, sent INTEGER)") }
        let operation = try outbox.seal(kind: "note", payload: bytes)
        try storage.write { database in
            try storage.insert(operation, in: database)
            try database.run(
                "INSERT INTO note(id, sent) VALUES(?, 0)",
                .blob(operation.envelope.id.bytes)
            )
        }
        try await outbox.drain(["note": send], until: .idle)
        let sent = try storage.read { database in
            try database.first("SELECT sent FROM note") { $0.integer(0) }
        }
        #expect(sent == 1)
    }

    @Test func network() async throws {
        let outbox = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore())
        let listening = Task {
            for await state in NetworkMonitor() where state.isConnected {
                outbox.networkReturned()
            }
        }
        let printing = Task {
            for await state in NetworkMonitor() {
                print(state.isConnected, state.connectionType)
            }
        }
        listening.cancel()
        printing.cancel()
        await listening.value
        await printing.value
    }

    @Test func severalProcesses() async throws {
        let outbox = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore())
        let handlers: [OperationKind: OperationHandler] = ["note": { await send($0) }]
        let draining = Task {
            do {
                try await outbox.drain(handlers)
            } catch OutboxError.drainedElsewhere {
                // Another process does it.
            }
        }
        draining.cancel()
        try await draining.value
    }

    @Test func logging() throws {
        let (storage, keys) = (MemoryStorage(), MemoryKeyStore())
        let logger = Logger(label: "outbox")
        let outbox = Outbox(storage: storage, keys: keys, log: { logger.log($0) })
        try outbox.enqueue(kind: "note", payload: bytes)
    }

    @Test func secretService() throws {
        let (storage, folder) = (MemoryStorage(), "/tmp/letters")
        #if os(Linux)
            let keys = SecretServiceKeyStore(
                application: "org.example.letters",
                account: folder,
                label: "Letters",
                locks: folder + "/key"
            )
            let outbox = Outbox(storage: storage, keys: keys)
            #expect(try outbox.counts().queued == 0)
        #endif
    }

    @Test func machine() {
        struct Lookup {
            func lookUp(_ limit: Int) -> (envelopes: [Envelope], next: WallTime?) { ([], nil) }
        }
        func run(_ envelope: Envelope) {}
        func fire(after wait: Milliseconds) {}
        let (storage, clock) = (Lookup(), (now: WallTime.distantPast, ()))

        var machine = DeliveryMachine(policy: .device)
        if let load = machine.woken() {
            let found = storage.lookUp(load.limit)
            let start = machine.loaded(found.envelopes, nextEligibleAt: found.next, now: clock.now)
            for envelope in start.attempts { run(envelope) }
            if let wait = start.timer { fire(after: wait) }
        }
    }

    // Testing an app

    @Test func withoutADisk() throws {
        let outbox = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore())
        try outbox.enqueue(kind: "note", payload: bytes)
    }

    let outbox = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore())

    @Test("a note is sent once")
    func sent() async throws {
        let sent = Mutex<[OperationID]>([])
        let id = try await outbox.enqueue(kind: "note", payload: [1])
        try await outbox.drain(
            [
                "note": { operation in
                    sent.withLock { $0.append(operation.id) }
                    return .done
                }
            ],
            until: .idle
        )
        #expect(sent.withLock { $0 } == [id])
    }

    @Test func lettingTimePass() throws {
        let clock = ManualClock()
        let outbox = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore(), clock: clock.clock)
        try outbox.enqueue(kind: "note", payload: bytes)
    }

    @Test func failingDisk() throws {
        let storage = FaultyStorage(MemoryStorage())
        let outbox = Outbox(storage: storage, keys: MemoryKeyStore())
        storage.failNext(1, .writing, with: .diskFull)
        #expect(throws: StorageError.diskFull) {
            try outbox.enqueue(kind: "note", payload: [1])
        }
    }

    @Test func testKit() throws {
        let clock = ManualClock()
        let storage = FaultyStorage(MemoryStorage())
        let outbox = Outbox(storage: storage, keys: MemoryKeyStore(), clock: clock.clock)

        storage.failNext(1, .writing, with: .diskFull)
        clock.advance(by: .seconds(600))
        #expect(try outbox.counts().queued == 0)
    }

    // Holding a storage to its contract

    /// Stands for the storage of a reader.
    typealias MyStorage = SQLiteStorage

    private let places = try? TemporaryFolder(isInMemory: true)

    private func freshPath() -> String {
        (places?.path ?? "") + "/\(UUID().uuidString)"
    }

    @Test("the contract of a storage holds", arguments: StorageConformance<MyStorage>.checks)
    func conforms(_ check: StorageConformance<MyStorage>.Check) throws {
        try check.run { try MyStorage(path: freshPath()) }
    }

    @Test("what several have open at once, they agree on")
    func sharing() async throws {
        let path = freshPath()
        try await StorageConformance<MyStorage>.checkSharing { try MyStorage(path: path) }
    }
}
