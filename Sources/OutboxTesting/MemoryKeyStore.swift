public import Outbox
public import OutboxCore
import Synchronization

/// A key store in memory. A test can make its keys unavailable and available again.
///
/// One object stands for all processes of a storage: removing a key waits for no other process.
public final class MemoryKeyStore: KeyStore {
    private let state: Mutex<(keys: [SealingKey], failure: KeyStoreError?)>

    /// Makes a store of these keys; the last key is the current one. An empty store makes a key at
    /// its first use.
    public init(keys: [SealingKey] = []) {
        state = Mutex((keys, nil))
    }

    /// Makes every access to the keys fail with `failure`; `nil` makes the keys available again.
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
