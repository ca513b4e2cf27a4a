public import OutboxCore

/// A store of the keys that seal payloads.
///
/// A key that cannot be read *now* is an error, never a reason to make another key: everything
/// sealed under the first key would be unreadable for ever.
///
/// One storage has one key store. Every process that uses the storage uses the same key store.
public protocol KeyStore: Sendable {
    /// Returns every stored key, the current key last.
    ///
    /// - Parameter creating: Whether to make the first key when there is none. Two processes that
    ///   make the first key at once end with the same key.
    /// - Throws: ``KeyStoreError``.
    func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey]

    /// Adds a key, which becomes the current key. The earlier keys stay.
    ///
    /// Durable on return. Of several processes that call this at once, each adds one key.
    ///
    /// - Throws: ``KeyStoreError``, `missing` when there is no key yet; the keys are as they were.
    func addKey() throws(KeyStoreError) -> KeyID

    /// Removes every key except the current key and the needed keys. Does nothing while another
    /// live process or object has read the keys, because that process or object may be about to
    /// seal something under one of them.
    ///
    /// - Parameter needed: A function that returns the keys of all stored records. It runs while no
    ///   other process or object has the keys or can get them.
    /// - Returns: The keys that were removed; `nil` when another process or object has read the
    ///   keys.
    /// - Throws: ``KeyStoreError``, or the error of `needed`. The keys are then unchanged.
    func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>?
}

/// A 256-bit key and its identifier.
public struct SealingKey: Sendable {
    /// The key's number, which sealed records hold.
    public let id: KeyID
    let cipher: SealingCipher

    /// Creates a key from its stored parts.
    ///
    /// - Parameters:
    ///   - id: The number of the key, which sealed records hold.
    ///   - bytes: The key itself.
    /// - Precondition: There are 32 bytes.
    public init(id: KeyID, bytes: some Collection<UInt8>) {
        self.id = id
        cipher = SealingCipher(key: bytes)
    }

    /// Makes a new key from the system's random source.
    public static func random() -> SealingKey {
        var bytes = [UInt8](repeating: 0, count: SealingCipher.keyLength)
        bytes.withUnsafeMutableBytes { SystemRandomness.fill($0) }
        return SealingKey(id: KeyID(rawValue: .random(in: 1 ... .max)), bytes: bytes)
    }

    /// Calls `body` with the 32 bytes of the key, to store them. Never log them.
    public func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try cipher.withUnsafeBytes(body)
    }
}

/// The reason for which a key store does not return a key. Sealed bytes stay as they are.
@nonexhaustive public enum KeyStoreError: Error, Hashable, Sendable {
    /// There is no key, although something was sealed with one earlier.
    case missing
    /// The key exists, but it cannot be read now or this process may not read it.
    case unreadable(code: Int32)
    /// The keychain or keyring does not return the key now: wait and try again.
    case withheld(KeyRefusal)
    /// A user other than the owner may read or write the key file, or another user owns it.
    case permissionsTooWide
    /// The bytes are not a key.
    case malformed
    /// A key could not be stored.
    case cannotCreate(code: Int32)
}

/// The reason for which a keychain or keyring does not return a key now. No case means that there
/// is no key.
@nonexhaustive public enum KeyRefusal: UInt8, Hashable, Sendable {
    /// The keyring is locked, and was not unlocked.
    case locked = 1
    /// The keyring cannot be reached: the session bus, the daemon or the client library is missing.
    case unreachable = 2
    /// The keyring did not answer in time.
    case silent = 3
    /// The keyring answered with an error.
    case failed = 4
}
