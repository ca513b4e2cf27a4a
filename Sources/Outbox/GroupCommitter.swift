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
        var isClosed = false
        /// Callers of ``close()``, while a transaction is being written.
        var closers: [CheckedContinuation<Void, Never>] = []

        /// The next batch; if it is empty, the callers of ``close()`` to resume.
        mutating func next(
            _ maximum: Int
        ) -> (batch: [Waiter], closers: [CheckedContinuation<Void, Never>]) {
            let batch = Array(waiters.prefix(maximum))
            waiters.removeFirst(batch.count)
            isCommitting = !batch.isEmpty
            guard batch.isEmpty else { return (batch, []) }
            defer { closers = [] }
            return ([], closers)
        }
    }

    init(storage: Storage) {
        self.storage = storage
    }

    /// - Throws: The error of ``OutboxStorage/insert(_:)``; ``StorageError/closed`` after
    ///   ``close()``.
    func insert(_ operation: SealedOperation) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let waiter = Waiter(operation: operation, continuation: continuation)
            let isFirst: Bool? = gathered.withLock { gathered in
                guard !gathered.isClosed else { return nil }
                gathered.waiters.append(waiter)
                defer { gathered.isCommitting = true }
                return !gathered.isCommitting
            }
            switch isFirst {
            case true?: queue.async { self.commitGathered() }
            case false?: break
            case nil: continuation.resume(throwing: StorageError.closed)
            }
        }
    }

    /// Refuses later callers, and waits until the earlier callers are answered.
    func close() async {
        await withCheckedContinuation { closer in
            let isIdle = gathered.withLock { gathered in
                gathered.isClosed = true
                if gathered.isCommitting { gathered.closers.append(closer) }
                return !gathered.isCommitting
            }
            if isIdle { closer.resume() }
        }
    }

    private func commitGathered() {
        while true {
            let (batch, closers) = gathered.withLock { gathered in gathered.next(maximumBatch) }
            for closer in closers { closer.resume() }
            guard !batch.isEmpty else { return }
            commit(batch)
        }
    }

    /// Commits a batch or, if that fails, each of its operations alone, so that only the operation
    /// at fault fails.
    private func commit(_ batch: [Waiter]) {
        let result = Result { try storage.insert(batch.map(\.operation)) }
        if case .failure = result, batch.count > 1 {
            for waiter in batch { commit([waiter]) }
            return
        }
        for waiter in batch { waiter.continuation.resume(with: result) }
    }
}
