public import Crypto
public import OutboxCore

/// Keeps the keys under which payloads are sealed.
///
/// A key that cannot be read *now* is an error, never a reason to make another one: everything
/// sealed under the first would be unreadable for ever.
///
/// One storage has one key store, and every process that uses the storage uses the same one.
public protocol KeyStore: Sendable {
    /// Every key there is, the current one last.
    ///
    /// - Parameter creating: Whether to make the first key when there is none. Two processes that
    ///   do so at once end with the same key.
    /// - Throws: ``KeyStoreError``.
    func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey]

    /// Makes another key, the current one from now on. The keys before it stay.
    ///
    /// Durable on return. Processes that do so at once each add one.
    ///
    /// - Throws: ``KeyStoreError``, `missing` when there is no key yet; the keys are as they were.
    func addKey() throws(KeyStoreError) -> KeyID

    /// Removes every key but the current one and those that are needed. Does nothing while another
    /// live process or object has read the keys, because it may be about to seal something under
    /// one of them.
    ///
    /// - Parameter needed: Called while no other process or object has the keys, or can get them.
    ///   Returns the keys that anything stored is sealed under.
    /// - Returns: The keys that were removed; `nil` when another process or object has read the
    ///   keys.
    /// - Throws: ``KeyStoreError``, or what `needed` threw; the keys are as they were.
    func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>?
}

/// A 256-bit key and its name.
public struct SealingKey: Sendable {
    /// The key's number, which sealed records hold.
    public let id: KeyID
    /// The key itself. Never log it.
    public let key: SymmetricKey

    /// A key that was stored before.
    public init(id: KeyID, key: SymmetricKey) {
        self.id = id
        self.key = key
    }

    /// A new key from the system's random source.
    public static func random() -> SealingKey {
        SealingKey(
            id: KeyID(rawValue: .random(in: 1 ... .max)),
            key: SymmetricKey(size: .bits256)
        )
    }
}

/// Why a key store does not give a key. Sealed bytes stay as they are.
@nonexhaustive public enum KeyStoreError: Error, Hashable, Sendable {
    /// There is no key, and something was sealed with one before.
    case missing
    /// The key is there and may not, or cannot, be read now.
    case unreadable(code: Int32)
    /// The keychain or keyring that has the key does not hand it out now: wait.
    case withheld(KeyRefusal)
    /// Others than its owner may read or write the key file, or own it.
    case permissionsTooWide
    /// The bytes are not a key.
    case malformed
    /// A key could not be stored.
    case cannotCreate(code: Int32)
}

/// Why a keychain or keyring does not hand a key out now. No case says that there is no key.
@nonexhaustive public enum KeyRefusal: UInt8, Hashable, Sendable {
    /// The keyring is locked, and was not unlocked.
    case locked = 1
    /// The keyring cannot be reached: no session bus, no daemon, or no library to ask with.
    case unreachable = 2
    /// The keyring did not answer in time.
    case silent = 3
    /// The keyring answered with an error.
    case failed = 4
}
