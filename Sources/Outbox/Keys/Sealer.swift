public import OutboxCore
import Synchronization

/// Seals and opens bytes with AES-256-GCM, bound to an id, a kind and a creation time.
///
/// - All three are authenticated: bytes moved under another id do not open.
/// - The keys are read once and kept in memory. While they cannot be read, sealing and opening
///   throw ``KeyStoreError``, and the next call tries again. Bytes under an unknown key cause the
///   keys to be read once more: another process may have added that key.
/// - Nonces are random. With 2^32 records under one key the chance of two equal nonces is still
///   below 2^-32 (NIST SP 800-38D, section 8.3).
public final class Sealer: Sendable {
    private struct Keys: Sendable {
        var loaded: [SealingKey] = []
        /// The keys of bytes that this object sealed or opened, and that may still be on their way
        /// into the storage.
        var used: Set<KeyID> = []
    }

    private let store: any KeyStore
    private let storage: any OutboxStorage
    private let keys = Mutex(Keys())

    /// Creates the sealer of other bytes than operations, for an owner without an ``Outbox``.
    ///
    /// - Parameters:
    ///   - store: The store of the keys.
    ///   - storage: The storage that remembers whether a first key may be made: see
    ///     ``OutboxStorage/isUnused()``.
    public init(store: any KeyStore, storage: any OutboxStorage) {
        self.store = store
        self.storage = storage
    }

    /// Seals `payload` under the current key.
    ///
    /// - Returns: A ``/OutboxCore/SealedRecord``, encoded.
    /// - Throws: ``KeyStoreError``; ``StorageError`` when the first use of a key cannot be recorded.
    public func seal(
        _ payload: [UInt8],
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime
    ) throws -> [UInt8] {
        try seal(payload, id: id, kind: kind, createdAt: createdAt, nonce: .random())
    }

    /// Seals `payload` under a nonce that the caller has just drawn, for this call only.
    func seal(
        _ payload: [UInt8],
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime,
        nonce: SealingNonce
    ) throws -> [UInt8] {
        let key = try currentKey()
        return try Self.seal(
            payload,
            authenticating: SealedRecord.associatedData(
                keyID: key.id,
                id: id,
                kind: kind,
                createdAt: createdAt
            ),
            under: key,
            nonce: nonce
        )
    }

    /// Seals bytes that are no operation's, bound to a context. They open in that context only, and
    /// never as an operation.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes.
    ///   - context: What the bytes are bound to, such as the name of a table and of a row. It begins
    ///     with a name that no other use of the keys has. It is authenticated and not stored.
    /// - Returns: A ``/OutboxCore/SealedRecord``, encoded.
    /// - Throws: ``KeyStoreError``; ``StorageError`` when the first use of a key cannot be recorded.
    public func seal(_ bytes: [UInt8], context: [UInt8]) throws -> [UInt8] {
        var nonces = SealingNonces(count: 1)
        return try seal(bytes, context: context, &nonces)
    }

    /// Seals bytes that are no operation's, one of many in one piece of work.
    package func seal(
        _ bytes: [UInt8],
        context: [UInt8],
        _ nonces: inout SealingNonces
    ) throws -> [UInt8] {
        let key = try currentKey()
        return try Self.seal(
            bytes,
            authenticating: SealedRecord.associatedData(keyID: key.id, context: context),
            under: key,
            nonce: nonces.next()
        )
    }

    /// Opens bytes that ``seal(_:context:)`` made.
    ///
    /// - Throws: ``UnreadableRecord`` when no waiting will help; ``KeyStoreError`` when the key
    ///   cannot be read now.
    public func open(_ bytes: [UInt8], context: [UInt8]) throws -> [UInt8] {
        let (payload, key) = try opened(bytes) { key in
            SealedRecord.associatedData(keyID: key, context: context)
        }
        _ = keys.withLock { $0.used.insert(key) }
        return payload
    }

    /// Opens bytes that ``seal(_:id:kind:createdAt:)`` made.
    ///
    /// - Throws: ``UnreadableRecord`` when no waiting will help; ``KeyStoreError`` when the key
    ///   cannot be read now.
    public func open(
        _ bytes: [UInt8],
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime
    ) throws -> [UInt8] {
        let (payload, key) = try opened(bytes, id: id, kind: kind, createdAt: createdAt)
        _ = keys.withLock { $0.used.insert(key) }
        return payload
    }

    /// Seals the content of `bytes` again, under the current key.
    ///
    /// - Returns: `nil` when `bytes` are sealed under the current key.
    /// - Throws: As ``open(_:id:kind:createdAt:)``.
    public func resealed(
        _ bytes: [UInt8],
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime
    ) throws -> [UInt8]? {
        let current = try keys.withLock { keys in
            try load(&keys)
            return keys.loaded.last
        }
        guard let current else { throw KeyStoreError.missing }
        if Self.keyID(of: bytes) == current.id { return nil }
        let (payload, _) = try opened(bytes, id: id, kind: kind, createdAt: createdAt)
        return try Self.seal(
            payload,
            authenticating: SealedRecord.associatedData(
                keyID: current.id,
                id: id,
                kind: kind,
                createdAt: createdAt
            ),
            under: current,
            nonce: .random()
        )
    }

    /// The key that sealed `bytes`; `nil` when they are not a ``/OutboxCore/SealedRecord``.
    public static func keyID(of bytes: [UInt8]) -> KeyID? {
        (try? SealedRecord.split(bytes))?.keyID
    }

    // MARK: Rotation

    /// Makes a new key, under which this object seals from then on.
    package func rotate() throws -> KeyID {
        try keys.withLock { keys in
            try load(&keys)
            let id = try store.addKey()
            keys.loaded = try store.keys(creating: false)
            return id
        }
    }

    func retire(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
        let removed = try store.retireKeys {
            try needed().union(keys.withLock { $0.used })
        }
        if removed?.isEmpty == false {
            try keys.withLock { $0.loaded = try store.keys(creating: false) }
        }
        return removed
    }

    // MARK: -

    private func load(_ keys: inout Keys) throws {
        guard keys.loaded.isEmpty else { return }
        let isUnused = try storage.isUnused()
        let loaded = try store.keys(creating: isUnused)
        if isUnused { try storage.markUsed() }
        keys.loaded = loaded
    }

    private func currentKey() throws -> SealingKey {
        try keys.withLock { keys in
            try load(&keys)
            guard let key = keys.loaded.last else { throw KeyStoreError.missing }
            keys.used.insert(key.id)
            return key
        }
    }

    private func key(_ id: KeyID) throws -> SealingKey? {
        try keys.withLock { keys in
            try load(&keys)
            if let key = keys.loaded.last(where: { $0.id == id }) { return key }
            keys.loaded = try store.keys(creating: false)
            return keys.loaded.last { $0.id == id }
        }
    }

    private func opened(
        _ bytes: [UInt8],
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime
    ) throws -> (payload: [UInt8], key: KeyID) {
        try opened(bytes) { key in
            SealedRecord.associatedData(keyID: key, id: id, kind: kind, createdAt: createdAt)
        }
    }

    private func opened(
        _ bytes: [UInt8],
        associated: (KeyID) -> [UInt8]
    ) throws -> (payload: [UInt8], key: KeyID) {
        let keyID: KeyID
        let sealed: ArraySlice<UInt8>
        do {
            (keyID, sealed) = try SealedRecord.split(bytes)
        } catch {
            throw UnreadableRecord(reason: .record)
        }
        guard let key = try key(keyID) else {
            throw UnreadableRecord(reason: .unknownKey)
        }
        guard let payload = key.cipher.opened(sealed, authenticating: associated(key.id)) else {
            throw UnreadableRecord(reason: .notAuthentic)
        }
        return (payload, key.id)
    }

    private static func seal(
        _ payload: [UInt8],
        authenticating associated: [UInt8],
        under key: SealingKey,
        nonce: SealingNonce
    ) throws -> [UInt8] {
        let overhead = SealedRecord.nonceLength + SealedRecord.tagLength
        var bytes = SealedRecord.start(keyID: key.id, reserving: payload.count + overhead)
        try key.cipher.seal(
            payload,
            authenticating: associated,
            nonce: nonce,
            appendingTo: &bytes
        )
        return bytes
    }
}

/// A sealed record that no waiting will make readable.
public struct UnreadableRecord: Error, Hashable, Sendable {
    /// The reason for which the record stays unreadable.
    public let reason: QuarantineReason

    /// Creates an error with this reason.
    public init(reason: QuarantineReason) {
        self.reason = reason
    }
}
