public import Outbox
internal import Synchronization

/// Keys in memory, which a test can take away, break and give back.
public final class MemoryKeyStore: KeyStore {
    private let state: Mutex<(keys: [SealingKey], failure: KeyStoreError?)>

    public init(keys: [SealingKey] = []) {
        state = Mutex((keys, nil))
    }

    /// While set, the keys cannot be read.
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
}
