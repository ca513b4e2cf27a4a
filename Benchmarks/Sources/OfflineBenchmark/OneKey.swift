import Crypto
import Outbox
import OutboxCore

/// A store of one key, which a comparison by hand has, too.
struct OneKey: KeyStore {
    let key: SealingKey

    func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] { [key] }

    func addKey() throws(KeyStoreError) -> KeyID { throw .cannotCreate(code: 0) }

    func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? { nil }
}

extension SealingKey {
    /// The key as a comparison by hand has it.
    var symmetric: SymmetricKey { SymmetricKey(data: withUnsafeBytes { Array($0) }) }
}
