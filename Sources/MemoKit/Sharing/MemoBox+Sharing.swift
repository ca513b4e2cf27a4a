import MemoCore
package import Outbox
import OutboxCore
package import OutboxSQLite

extension MemoBox {
    private static let sharedView = SealedDocument<SharedView>(
        table: "memo_shared_view",
        kind: .sharedView,
        damaged: .databaseInconsistent("memo_shared_view")
    )

    /// What this device last knew of the things that all devices of the person share; `nil` where it
    /// knows nothing of the account that is signed in, and where the view does not open: the next
    /// synchronisation writes another one.
    ///
    /// - Throws: ``MemoError``.
    public func sharedView() throws(MemoError) -> SharedView? {
        guard let account = try account() else { return nil }
        do {
            guard let view = try Self.sharedView.value(in: self), view.isOf(account) else {
                return nil
            }
            return view
        } catch .databaseInconsistent, .wrongKey {
            return nil
        }
    }

    /// Stores a view in place of the former one.
    package func setSharedView(_ view: SharedView) throws(MemoError) {
        try Self.sharedView.store(view, in: self)
    }

    /// Another database of this folder, sealed under the keys of this box. Makes no key: a box whose
    /// key is missing seals nothing in it.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - log: Called for every transition of its outbox.
    package func outbox(
        at path: String,
        log: @escaping @Sendable (OutboxEvent) -> Void
    ) throws(MemoError) -> Outbox<SQLiteStorage> {
        try translatingErrors {
            Outbox(
                storage: try SQLiteStorage(path: path),
                keys: PresentKeys(store: keys),
                log: log
            )
        }
    }
}

/// The keys of a store, of which this one never makes the first.
private struct PresentKeys<Store: KeyStore>: KeyStore {
    let store: Store

    func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        try store.keys(creating: false)
    }

    func addKey() throws(KeyStoreError) -> KeyID { try store.addKey() }

    func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? { nil }
}
