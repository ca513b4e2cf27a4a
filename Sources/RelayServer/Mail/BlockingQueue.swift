import Dispatch

/// Runs blocking work (files, sockets, a database) away from the threads that Swift's tasks share,
/// one piece at a time, in order.
///
/// The queue is serial because a concurrent queue of Dispatch shares its limited threads with
/// Swift's tasks: a few hanging mail servers would stop everything else.
package struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// The result of `work`, which may throw.
    package func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// The result of `work`, which does not throw.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
