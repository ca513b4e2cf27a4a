import Dispatch
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import TestSeeds
import Testing

@testable import RelayRules
@testable package import RelaySQLite
@testable import RelayServer
@testable import RelayTesting

// The time limit ends a test that hangs; no test comes near it.
@Suite("The relay's store in SQLite", .timeLimit(.minutes(60)))
struct SQLiteRelayStoreTests {
    fileprivate typealias Conformance = RelayStoreConformance<SQLiteRelayStore>

    @Test("keeps a store's promises", arguments: Conformance.checks)
    fileprivate func promises(_ check: Conformance.Check) async throws {
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(path: folder.file("key"))
        try await check.run(on: try SQLiteRelayStore(folder: folder.path, keys: keys))
    }

    @Test("each of a store's promises is checked, and none twice")
    fileprivate func promises() {
        let checks = Conformance.checks.map(\.description)
        #expect(checks.count == Conformance.promises && Set(checks).count == checks.count)
    }

    @Test("the oldest counts are dropped beyond a number of them, whatever the clock says")
    func oldestCounts() async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        func steps(_ hours: Int64) -> RateSteps {
            RateSteps(.seconds(3600), at: now.advanced(by: .seconds(hours * 3600)))
        }
        for hours: Int64 in 0...3 {
            try await store.run(MakeWrite(.count(key: [UInt8(hours)], steps(hours))))
        }
        func counted() throws -> [Int] {
            try store.read { database in
                try (0...3).map { hours in
                    try store.tables(in: database).use(
                        .stepped(key: [UInt8(hours)], steps(Int64(hours)))
                    ).memos
                }
            }
        }
        try await store.run(MakeWrite(.dropCounts(beyond: 4)))
        #expect(try counted() == [1, 1, 1, 1])
        try await store.run(MakeWrite(.dropCounts(beyond: 1)))
        #expect(try counted() == [0, 0, 1, 1])
    }

    @Test("a made-up handle is refused without a transaction, which would wait for others")
    fileprivate func madeUpHandle() async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
        let other = try SQLiteStorage(path: folder.file("relay.sqlite"))
        let gate = DispatchSemaphore(value: 0)
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let writing = Task.detached {
            try other.write { _ in
                beginning.yield()
                gate.wait()
            }
        }
        for await _ in beginnings { break }
        let decision = try await store.confirm(
            Conformance.confirmation(1),
            rules: VerificationRules()
        )
        gate.signal()
        try await writing.value
        #expect(decision == .refused)
    }

    @Test("a database of a relay without handles is opened: its codes are gone, its limits hold")
    func withoutHandles() async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        let storage = try SQLiteStorage(path: folder.file("relay.sqlite"))
        let now = Conformance.now.millisecondsSinceEpoch
        let rules = VerificationRules()
        try storage.write { database in
            try database.execute(
                """
                CREATE TABLE verification(
                    address BLOB PRIMARY KEY, code BLOB, expires_at INTEGER NOT NULL,
                    tries INTEGER NOT NULL, sent INTEGER NOT NULL, sent_at INTEGER NOT NULL
                ) WITHOUT ROWID;
                INSERT INTO verification VALUES(X'0101', X'01', \(now + 1000), 0, 1, \(now));
                CREATE TABLE code_request(subject BLOB NOT NULL, at INTEGER NOT NULL);
                CREATE TABLE failed_try(step INTEGER PRIMARY KEY, chance INTEGER NOT NULL);
                INSERT INTO failed_try VALUES(\(now), 5);
                """
            )
            for _ in 0..<rules.perAddress {
                try database.execute("INSERT INTO code_request VALUES(X'0101', \(now - 1000))")
            }
        }
        for _ in 0..<2 {
            let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
            #expect(try await store.confirm(Conformance.confirmation(1), rules: rules) == .refused)
            #expect(try await !Conformance.ask(store, Conformance.verification(1)))
        }
        // A failed try of those days counts for both shares.
        let failed = try storage.read { database in
            try database.query("SELECT chance FROM failed_try ORDER BY share") { $0.integer(0) }
        }
        #expect(failed == [5, 5])
        let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
        let later = Conformance.now.advanced(by: rules.window)
        _ = try await Conformance.device(1, in: store, at: later)
        let tables = try storage.read { database in
            try database.query("SELECT name FROM sqlite_master WHERE name = 'verification'") {
                $0.text(0)
            }
        }
        #expect(tables.isEmpty)
    }

    @Test("revoked devices are not in the index that the list of an account's devices reads")
    fileprivate func revokedDevices() async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
        let many = try await Conformance.device(1, in: store).account
        try store.storage.write { database in
            try database.run(
                """
                WITH RECURSIVE number(value) AS (
                    SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 20000)
                INSERT INTO device(id, account, token, name, created_at, revoked_at)
                SELECT randomblob(16), ?, randomblob(32), x'', value, value FROM number
                """,
                .blob(many.bits.bytes)
            )
        }
        #expect(try await store.devices(of: many).count == 1)
        // SQLite refuses the list's statement where it cannot use the index that the statement names.
        let isPartial = try store.storage.read { database in
            try database.first(
                "SELECT partial FROM pragma_index_list('device') WHERE name = 'device_living'"
            ) { $0.integer(0) }
        }
        #expect(isPartial == 1)
        let entries = try store.storage.read { database in
            try database.first(
                "SELECT count(*) FROM device INDEXED BY device_living WHERE revoked_at IS NULL"
            ) { $0.integer(0) }
        }
        #expect(entries == 1)
    }

    @Test(
        "a database without networks of devices and languages is opened: its devices stay signed in"
    )
    func withoutNetworks() async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        let known = try await Conformance.device(
            1,
            in: SQLiteRelayStore(folder: folder.path, keys: keys)
        )
        let storage = try SQLiteStorage(path: folder.file("relay.sqlite"))
        try storage.write {
            try $0.execute(
                """
                DROP TABLE schema_component;
                DROP INDEX device_pair;
                ALTER TABLE device DROP COLUMN pair;
                ALTER TABLE mailed_code DROP COLUMN language;
                """
            )
        }
        var rules = VerificationRules()
        rules.perService = 3
        for _ in 0..<2 {
            let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
            let device = try #require(try await store.device(tokenHash: [0, 1]))
            #expect(device.id == known.id && device.address == known.address && !device.isRevoked)
            #expect(try await store.devices(of: known.account).map(\.name) == ["device 1"])
        }
        let store = try SQLiteRelayStore(folder: folder.path, keys: keys)
        _ = try await Conformance.device(2, in: store)
        #expect(try await Conformance.ask(store, Conformance.verification(3, from: 3), rules))
        // The service has no code left but for a network where a device is known to be signed in.
        let unknown = Conformance.verification(4)
        let knownSince = Conformance.verification(5, to: 2, from: 2)
        #expect(try await !Conformance.ask(store, unknown, rules))
        #expect(try await Conformance.ask(store, knownSince, rules))
    }

    @Test(
        "its mail queue keeps a storage's contract",
        arguments: StorageConformance<MailQueueStorage>.checks
    )
    func queueConforms(_ check: StorageConformance<MailQueueStorage>.Check) throws {
        let folder = try TemporaryFolder()
        try check.run(seed: TestSeeds["conformance"][0]) {
            let storage = try SQLiteStorage(path: folder.file("relay.sqlite"))
            try storage.write { try RelaySchema.prepare($0, at: .distantPast) }
            return MailQueueStorage(
                base: storage,
                transactions: SharedTransactions(storage: storage),
                reads: ReadConnections(path: storage.path, count: 1),
                lifetime: nil,
                clock: .system,
                fateLost: { _ in }
            )
        }
    }
}

extension SQLiteRelayStore: TestedStore {
    package func hasDueMail() async throws -> Bool {
        try await queueCondition(at: OutboxClock.system.wallTime()).dueSince != nil
    }

    package func operators() throws -> OperatorDatabase {
        try OperatorDatabase(folder: String(storage.path.dropLast("/relay.sqlite".count)))
    }
}
