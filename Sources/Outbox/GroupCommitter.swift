import Dispatch
import Synchronization

/// Lets concurrent callers share one durable commit, away from the threads of Swift's tasks.
///
/// While one commit is under way, later callers gather; the next commit takes all of them, in their
/// order. A caller is answered after the commit that holds its work is durable.
///
/// - When a shared commit fails, each of its works is committed alone, so that the failure is that of
///   its cause. A commit that fails has changed nothing.
/// - Callers who wait for others (*behind*) follow those who do not. A commit that has come to them may
///   leave the rest of them to the next one, where others have come meanwhile.
package final class GroupCommitter<Work: Sendable>: Sendable {
    /// Commits the first works of a batch, at least one, in one durable transaction.
    ///
    /// - Parameters:
    ///   - batch: The works in their order, those that wait for others at the end.
    ///   - isAwaited: Whether a caller has come since who does not wait for others. Works left for the
    ///     next commit must be among those that wait for others.
    /// - Returns: The results of the committed works, which are the first ones of the batch.
    /// - Throws: The error of the transaction, which has changed nothing.
    package typealias Commit =
        @Sendable (_ batch: [Work], _ isAwaited: @escaping @Sendable () -> Bool) throws ->
        [Result<Void, any Error>]

    /// Bounds a commit, so that the first caller of a batch does not wait for ever.
    private static var maximumBatch: Int { 256 }

    private struct Waiter: Sendable {
        let work: Work
        let answer: @Sendable (Result<Void, any Error>) -> Void
    }

    private struct Gathered: Sendable {
        var waiters: [Waiter] = []
        /// Those who wait for others.
        var behind: [Waiter] = []
        var isCommitting = false
        var isClosed = false
        /// Callers of ``close()``, while a commit is under way.
        var closers: [CheckedContinuation<Void, Never>] = []

        /// The next batch; if it is empty, the callers of ``close()`` to resume.
        mutating func next() -> (batch: [Waiter], closers: [CheckedContinuation<Void, Never>]) {
            var batch = Array(waiters.prefix(maximumBatch))
            waiters.removeFirst(batch.count)
            let behind = behind.prefix(maximumBatch - batch.count)
            batch += behind
            self.behind.removeFirst(behind.count)
            isCommitting = !batch.isEmpty
            guard batch.isEmpty else { return (batch, []) }
            defer { closers = [] }
            return ([], closers)
        }
    }

    private let commitWorks: Commit
    private let queue: DispatchQueue
    private let gathered = Mutex(Gathered())

    /// - Parameters:
    ///   - label: The name of the queue on which works are committed.
    ///   - commit: Commits a batch.
    package init(label: String, commit: @escaping Commit) {
        commitWorks = commit
        queue = DispatchQueue(label: label)
    }

    /// Commits a work, perhaps with those of other callers.
    ///
    /// - Parameters:
    ///   - work: The work. It may be committed twice: again after a shared commit has failed.
    ///   - isBehind: Whether the caller waits for others.
    /// - Throws: The work's own failure; the error of the commit; ``StorageError/closed`` after
    ///   ``close()``. Nothing of the work is stored then.
    package func commit(_ work: Work, isBehind: Bool = false) async throws {
        try await withCheckedThrowingContinuation { continuation in
            add(Waiter(work: work) { continuation.resume(with: $0) }, isBehind: isBehind)
        }
    }

    /// Commits a work like ``commit(_:isBehind:)``, for a caller that does not wait for others, and blocks
    /// the calling thread until it is answered. Must not be called by a commit.
    package func commitBlocking(_ work: Work) throws {
        let answered = DispatchSemaphore(value: 0)
        let answer = Mutex<Result<Void, any Error>?>(nil)
        add(
            Waiter(work: work) { result in
                answer.withLock { $0 = result }
                answered.signal()
            },
            isBehind: false
        )
        answered.wait()
        guard let result = answer.withLock({ $0 }) else {
            preconditionFailure("a signal before the answer")
        }
        try result.get()
    }

    private func add(_ waiter: Waiter, isBehind: Bool) {
        let isFirst: Bool? = gathered.withLock { gathered in
            guard !gathered.isClosed else { return nil }
            if isBehind {
                gathered.behind.append(waiter)
            } else {
                gathered.waiters.append(waiter)
            }
            defer { gathered.isCommitting = true }
            return !gathered.isCommitting
        }
        switch isFirst {
        case true?: queue.async { self.commitGathered() }
        case false?: break
        case nil: waiter.answer(.failure(StorageError.closed))
        }
    }

    /// The number of callers whose works no commit has taken yet.
    package var waiting: Int { gathered.withLock { $0.waiters.count + $0.behind.count } }

    /// Refuses later callers, and waits until the earlier callers are answered.
    package func close() async {
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
            let (batch, closers) = gathered.withLock { $0.next() }
            for closer in closers { closer.resume() }
            guard !batch.isEmpty else { return }
            commit(batch)
        }
    }

    private func commit(_ batch: [Waiter]) {
        let results: [Result<Void, any Error>]
        do {
            results = try commitWorks(batch.map(\.work)) {
                self.gathered.withLock { !$0.waiters.isEmpty }
            }
        } catch {
            if batch.count == 1 { return batch[0].answer(.failure(error)) }
            for waiter in batch { commit([waiter]) }
            return
        }
        precondition(!results.isEmpty && results.count <= batch.count, "a commit has results")
        gathered.withLock { $0.behind.insert(contentsOf: batch[results.count...], at: 0) }
        for (waiter, result) in zip(batch, results) { waiter.answer(result) }
    }
}
