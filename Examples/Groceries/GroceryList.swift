import Foundation
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SyncCore

/// A device's copy of the list: edited at once, synchronised while there is a server.
///
/// Several processes may have one folder. Each of them edits, and one of them synchronises.
struct GroceryList: Sendable {
    private let records: SyncedRecords<GroceryRules>
    private let manager: SyncManager<GroceryRules>

    /// - Parameters:
    ///   - folder: An existing folder; the device's database and its key are kept there.
    ///   - server: The server's address.
    ///   - policy: The strategy for two changes that meet.
    init(folder: String, server: URL, policy: ConflictPolicy) throws {
        // A server at home is back soon, so no wait is long.
        var retries = RetryPolicy.device
        retries.base = Milliseconds(100)
        retries.cap = Milliseconds(500)
        let outbox = Outbox(
            storage: try SQLiteStorage(path: folder + "/groceries.sqlite"),
            keys: FileKeyStore(path: folder + "/groceries.key"),
            policy: retries
        )
        records = try SyncedRecords(in: outbox, rules: GroceryRules(policy: policy))
        let settings = SyncSettings(
            requestLimit: .seconds(5),
            foregroundInterval: .seconds(2),
            firstWait: Milliseconds(100),
            longestWait: Milliseconds(500),
            recheck: Milliseconds(50)
        )
        manager = SyncManager(records, server: GroceryServer(url: server), settings: settings)
    }

    /// Sends and pulls until the task is cancelled.
    func synchronise() async throws { try await manager.run() }

    // MARK: A person's edits. When a call returns, no power cut loses the edit.

    func add(_ name: String) throws {
        try records.create("item", [Field("name", name), Field("count", "1")])
    }

    /// - Returns: Whether there is such an item.
    func setCount(of name: String, to count: Int) throws -> Bool {
        guard let item = item(name) else { return false }
        try records.update(item.key, [Field("count", "\(count)")])
        return true
    }

    /// - Returns: Whether there was such an item.
    func remove(_ name: String) throws -> Bool {
        guard let item = item(name) else { return false }
        try records.delete(item.key)
        return true
    }

    private func item(_ name: String) -> ShownRecord? {
        records.snapshot.records(of: "item").first { $0.text("name") == name }
    }

    // MARK: A person's choices

    /// Sends all refused changes again.
    func tryAgain() throws {
        for entry in records.snapshot.refused { try records.tryAgain(entry.change.id) }
    }

    /// Gives all refused changes up.
    func discard() throws {
        for entry in records.snapshot.refused { try records.discard(entry.change.id) }
    }

    /// Notes that a person has seen which edits gave way.
    func acknowledge() throws {
        for change in records.snapshot.overruled { try records.acknowledge(change) }
    }

    // MARK: Looking

    /// The list, a line for each item and each decision, and the state of the synchronisation last.
    func lines() throws -> [String] {
        try records.takeOver()
        let snapshot = records.snapshot
        var lines = snapshot.records(of: "item").map { item in
            let mark = item.word == .confirmed ? "" : "  (\(item.word))"
            return "\(item.text("count") ?? "?") \(item.text("name") ?? "?")\(mark)"
        }
        lines.sort()
        lines += snapshot.refused.map { entry in
            "! refused: \(String(decoding: entry.reason.code, as: UTF8.self)); again, or drop?"
        }
        lines += snapshot.overruled.map { change in
            let texts = change.values.map { String(decoding: $0.value, as: UTF8.self) }
            return "! your edit gave way: \(texts.joined(separator: ", "))"
        }
        let state = manager.state
        let isFetched = state.lastSynced != nil
        return lines + [
            "= \(state.pendingChanges) to send, \(isFetched ? "fetched" : "never fetched")"
        ]
    }
}
