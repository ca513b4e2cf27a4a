public import Crypto
public import OutboxCore

/// Keeps the key under which payloads are sealed.
///
/// A key that cannot be read *now* is an error, never a reason to make another one: everything
/// sealed under the first would be unreadable for ever.
public protocol KeyStore: Sendable {
    /// Every key there is, the current one last.
    ///
    /// - Parameter creating: Whether to make the first key when there is none. Two processes that do
    ///   so at once end with the same key.
    /// - Throws: ``KeyStoreError``.
    func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey]
}

/// A 256-bit key and its name.
public struct SealingKey: Sendable {
    public let id: KeyID
    public let key: SymmetricKey

    public init(id: KeyID, key: SymmetricKey) {
        self.id = id
        self.key = key
    }

    /// A new key from the system's random source.
    public static func random() -> SealingKey {
        SealingKey(
            id: KeyID(rawValue: .random(in: 1 ... .max)), key: SymmetricKey(size: .bits256))
    }
}

/// Why a key cannot be had. Whatever is sealed stays as it is.
public enum KeyStoreError: Error, Hashable, Sendable {
    /// There is no key, and something was sealed with one before.
    case missing
    /// The key is there and may not, or cannot, be read now.
    case unreadable(code: Int32)
    /// Others than its owner may read or write the key file, or own it.
    case permissionsTooWide
    /// The bytes are not a key.
    case malformed
    /// The first key could not be stored.
    case cannotCreate(code: Int32)
}
