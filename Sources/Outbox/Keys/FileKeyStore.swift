public import OutboxCore

/// A key store in a file that only its owner may read.
///
/// The store refuses a file that another user may read or write, and a file behind a symbolic link.
/// It locks two empty files beside the key file: `PATH-lock` while keys change and `PATH-use` while
/// keys are in use.
public struct FileKeyStore: KeyStore {
    private let store: KeyRingStore<KeyFile>

    /// - Parameter path: The path of the key file. Its folder must exist when the first key is
    ///   made.
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
