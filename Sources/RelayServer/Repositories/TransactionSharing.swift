import Outbox
import Synchronization

/// Lets concurrent callers share one durable transaction of a store (``/Outbox/GroupCommitter``).
///
/// Callers on a ``BackgroundThread`` wait for others. One of them is in each transaction.
package struct TransactionSharing<Context>: Sendable {
    private let committer: GroupCommitter<SharedPart<Context>>

    /// - Parameters:
    ///   - label: The name of the queue on which transactions run.
    ///   - commit: Runs parts, at least the first one, in one durable transaction, and returns their
    ///     results (``SharedPart/results(of:_:run:)``). When it throws nothing is stored, and each part gets
    ///     a transaction alone.
    package init(
        label: String,
        commit:
            @escaping @Sendable (
                _ parts: [SharedPart<Context>], _ isAwaited: @escaping @Sendable () -> Bool
            ) throws -> [Result<Void, any Error>]
    ) {
        committer = GroupCommitter(label: label, commit: commit)
    }

    /// Runs `body` in a durable transaction, perhaps with those of other callers.
    ///
    /// - Parameter body: Has no effect but on the database: it runs again after a shared
    ///   transaction has failed.
    /// - Throws: The error of `body`; the error of the transaction. Nothing of `body` is stored then.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (Context) throws -> Value
    ) async throws -> Value {
        let result = Latest<Value>()
        let part = SharedPart(isBehind: BackgroundThread.isCurrent) { result.set(try body($0)) }
        try await committer.commit(part, isBehind: part.isBehind)
        return result.value
    }

    /// Like ``write(_:)``, for a thread that may wait: the calling thread is blocked until the transaction is
    /// durable.
    package func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (Context) throws -> Value
    ) throws -> Value {
        let result = Latest<Value>()
        try committer.commitBlocking(SharedPart(isBehind: false) { result.set(try body($0)) })
        return result.value
    }

    /// The number of callers whose work no transaction has taken yet.
    package var waiting: Int { committer.waiting }
}

/// A caller's part of a shared transaction.
package struct SharedPart<Context>: Sendable {
    /// Whether the caller waits for others.
    let isBehind: Bool
    /// Runs the part, inside of the transaction.
    package let run: @Sendable (Context) throws -> Void

    /// Runs the parts of one transaction in their order: all, or, where other callers wait, all up to the
    /// first one of the background.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - isAwaited: Whether a caller has come since who does not wait for others.
    ///   - run: Runs a part, and returns its result.
    /// - Throws: The error of `run`.
    package static func results(
        of parts: [SharedPart],
        _ isAwaited: () -> Bool,
        run: (SharedPart) throws -> Result<Void, any Error>
    ) rethrows -> [Result<Void, any Error>] {
        var results: [Result<Void, any Error>] = []
        for (index, part) in parts.enumerated() {
            // One of the background is in each transaction.
            if index > 0, parts[index - 1].isBehind, isAwaited() { break }
            results.append(try run(part))
        }
        return results
    }
}

/// The result of a part's latest run, until the transaction is durable.
private final class Latest<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)

    func set(_ value: Value) { result.withLock { $0 = value } }

    var value: Value {
        guard let value = result.withLock({ $0 }) else {
            preconditionFailure("a committed part has run")
        }
        return value
    }
}
