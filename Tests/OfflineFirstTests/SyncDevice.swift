import ConnectivityCore
import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import Waiting

/// One process of a device: records in a folder, with their manager.
struct SyncDevice: Sendable {
    static let settings = SyncSettings(
        requestLimit: .seconds(20),
        firstWait: Milliseconds(5),
        longestWait: Milliseconds(20),
        recheck: Milliseconds(5)
    )

    let storage: SQLiteStorage
    let outbox: Outbox<SQLiteStorage>
    let records: SyncedRecords<TestRules>
    let manager: SyncManager<TestRules>

    init(
        _ path: String,
        keys: some KeyStore,
        server: MemorySyncServer,
        rules: TestRules = TestRules(),
        settings: SyncSettings = Self.settings,
        retry: Milliseconds = Milliseconds(5),
        network: @escaping @Sendable () -> AsyncStream<NetworkState> = { AsyncStream { _ in } },
        following: @escaping @Sendable (SyncOccurrence, Connection) throws -> Void = { _, _ in }
    ) throws {
        storage = try SQLiteStorage(path: path)
        outbox = Outbox(
            storage: storage,
            keys: keys,
            policy: RetryPolicy(
                base: retry,
                cap: Milliseconds(retry.count * 4),
                serverWaitCap: .seconds(60),
                unhintedServerWait: Milliseconds(20)
            )
        )
        records = try SyncedRecords(in: outbox, rules: rules, following: following)
        manager = SyncManager(records, server: server, settings: settings, network: network)
    }

    /// Runs the manager while `body` runs.
    func running<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let run = Task { try await manager.run() }
        let result: Result
        do {
            result = try await body()
        } catch {
            run.cancel()
            _ = await run.result
            throw error
        }
        run.cancel()
        try await run.value
        return result
    }

    /// Waits until nothing is pending, and everything was pulled.
    func settle() async throws {
        try await waitUntil {
            let snapshot = records.snapshot
            guard try records.counts() == SyncCounts() else { return false }
            return snapshot.lastPulled != nil
                && (snapshot.records(of: "item") + snapshot.records(of: "list"))
                    .allSatisfy { $0.word == .confirmed }
        }
    }

    func texts(_ name: String = "name") -> [String] {
        records.snapshot.records(of: "item").compactMap { $0.text(name) }.sorted()
    }
}
