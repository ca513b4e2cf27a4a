public import Outbox
public import OutboxCore
import Synchronization

/// Keys in memory, which a test can take away, break and give back.
///
/// One object is all of a storage's processes: removing a key asks nobody.
public final class MemoryKeyStore: KeyStore {
    private let state: Mutex<(keys: [SealingKey], failure: KeyStoreError?)>

    /// A store of these keys, the last one current. Without any, the first use makes one.
    public init(keys: [SealingKey] = []) {
        state = Mutex((keys, nil))
    }

    /// While set, the keys can be neither read nor changed.
    public func fail(with failure: KeyStoreError?) {
        state.withLock { $0.failure = failure }
    }

    public func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        let result: Result<[SealingKey], KeyStoreError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            if state.keys.isEmpty {
                guard creating else { return .failure(.missing) }
                state.keys = [.random()]
            }
            return .success(state.keys)
        }
        return try result.get()
    }

    public func addKey() throws(KeyStoreError) -> KeyID {
        let result: Result<KeyID, KeyStoreError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            if state.keys.isEmpty { return .failure(.missing) }
            let key = SealingKey.random()
            state.keys.append(key)
            return .success(key.id)
        }
        return try result.get()
    }

    public func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
        let needed = try needed()
        let result: Result<Set<KeyID>, KeyStoreError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            let current = state.keys.last?.id
            let retired = state.keys.map(\.id).filter { $0 != current && !needed.contains($0) }
            state.keys.removeAll { retired.contains($0.id) }
            return .success(Set(retired))
        }
        return try result.get()
    }
}
