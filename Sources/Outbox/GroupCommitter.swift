import Dispatch
import Synchronization

/// Lets concurrent callers share one durable transaction.
///
/// While one transaction is being written, later callers gather; the next transaction takes all of
/// them. Each caller is answered after the transaction that holds its operation is durable.
final class GroupCommitter<Storage: OutboxStorage>: Sendable {
    /// Bounds a transaction, so that the first caller of a batch does not wait for ever.
    private let maximumBatch = 256
    private let storage: Storage
    private let queue = DispatchQueue(label: "outbox.group-commit")
    private let gathered = Mutex(Gathered())

    private struct Waiter: Sendable {
        let operation: SealedOperation
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Gathered: Sendable {
        var waiters: [Waiter] = []
        var isCommitting = false
    }

    init(storage: Storage) {
        self.storage = storage
    }

    func insert(_ operation: SealedOperation) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let waiter = Waiter(operation: operation, continuation: continuation)
            let isFirst = gathered.withLock { gathered in
                gathered.waiters.append(waiter)
                defer { gathered.isCommitting = true }
                return !gathered.isCommitting
            }
            if isFirst { queue.async { self.commitGathered() } }
        }
    }

    private func commitGathered() {
        while true {
            let batch: [Waiter] = gathered.withLock { gathered in
                let batch = Array(gathered.waiters.prefix(maximumBatch))
                gathered.waiters.removeFirst(batch.count)
                gathered.isCommitting = !batch.isEmpty
                return batch
            }
            guard !batch.isEmpty else { return }
            commit(batch)
        }
    }

    /// When a batch fails each of its operations is tried alone, so that only the one at fault
    /// fails. None counts as new then, which the batch may have left behind.
    private func commit(_ batch: [Waiter]) {
        let result = Result { try storage.insert(batch.map(\.operation)) }
        if case .failure = result, batch.count > 1 {
            for waiter in batch {
                commit([
                    Waiter(
                        operation: waiter.operation.repeatable,
                        continuation: waiter.continuation
                    )
                ])
            }
            return
        }
        for waiter in batch { waiter.continuation.resume(with: result) }
    }
}
