public import OutboxCore

/// Keeps keys in a file that only its owner may read.
///
/// A file that anybody else may read or write is refused, and so is one behind a symbolic link. Two
/// empty files beside it, `PATH-lock` and `PATH-use`, are locked while keys are changed and used.
public struct FileKeyStore: KeyStore {
    private let store: KeyRingStore<KeyFile>

    /// - Parameter path: The file; its folder must exist when the first key is made.
    public init(path: String) {
        store = KeyRingStore(place: KeyFile(path: path), locks: KeyLocks(prefix: path))
    }

    public func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        try store.keys(creating: creating)
    }

    public func addKey() throws(KeyStoreError) -> KeyID {
        try store.addKey()
    }

    public func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
        try store.retireKeys(needed: needed)
    }
}
