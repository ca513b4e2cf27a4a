internal import Crypto
public import OutboxCore
internal import Synchronization

/// Seals and opens bytes with AES-256-GCM, bound to what they belong to.
///
/// - id, kind and creation time are authenticated: bytes moved under another id do not open.
/// - The key is read once and kept in memory. While it cannot be read, sealing and opening throw
///   ``KeyStoreError``, and the next call tries again.
/// - Nonces are random. With 2^32 records under one key the chance of two equal nonces is still
///   below 2^-32 (NIST SP 800-38D, section 8.3).
public final class Sealer: Sendable {
    private let store: any KeyStore
    private let storage: any OutboxStorage
    private let loaded = Mutex<[SealingKey]>([])

    init(store: any KeyStore, storage: any OutboxStorage) {
        self.store = store
        self.storage = storage
    }

    /// Seals `payload` under the current key.
    ///
    /// - Returns: A ``SealedRecord``, encoded.
    /// - Throws: ``KeyStoreError``; ``StorageError`` when the first use of a key cannot be recorded.
    public func seal(
        _ payload: [UInt8], id: OperationID, kind: OperationKind, createdAt: WallTime
    ) throws -> [UInt8] {
        guard let key = try keys().last else { throw KeyStoreError.missing }
        let associated = SealedRecord.associatedData(
            keyID: key.id, id: id, kind: kind, createdAt: createdAt)
        let box = try AES.GCM.seal(payload, using: key.key, authenticating: associated)
        return SealedRecord(
            keyID: key.id, nonce: Array(box.nonce), ciphertext: Array(box.ciphertext),
            tag: Array(box.tag)
        ).encoded()
    }

    /// Opens what ``seal(_:id:kind:createdAt:)`` made.
    ///
    /// - Throws: ``UnreadableRecord`` when no waiting will help; ``KeyStoreError`` when the key
    ///   cannot be read now.
    public func open(
        _ bytes: [UInt8], id: OperationID, kind: OperationKind, createdAt: WallTime
    ) throws -> [UInt8] {
        let record: SealedRecord
        do {
            record = try SealedRecord(decoding: bytes)
        } catch {
            throw UnreadableRecord(reason: .record)
        }
        guard let key = try keys().last(where: { $0.id == record.keyID }) else {
            throw UnreadableRecord(reason: .unknownKey)
        }
        let associated = SealedRecord.associatedData(
            keyID: key.id, id: id, kind: kind, createdAt: createdAt)
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: record.nonce), ciphertext: record.ciphertext,
                tag: record.tag)
            return Array(try AES.GCM.open(box, using: key.key, authenticating: associated))
        } catch {
            throw UnreadableRecord(reason: .notAuthentic)
        }
    }

    private func keys() throws -> [SealingKey] {
        try loaded.withLock { loaded in
            if loaded.isEmpty {
                let isUnused = try storage.isUnused()
                let keys = try store.keys(creating: isUnused)
                if isUnused { try storage.markUsed() }
                loaded = keys
            }
            return loaded
        }
    }
}

/// A sealed record that no waiting will make readable.
public struct UnreadableRecord: Error, Hashable, Sendable {
    public let reason: QuarantineReason

    public init(reason: QuarantineReason) {
        self.reason = reason
    }
}
