import Dispatch

/// Runs work that blocks (files, sockets, a database) away from the threads that Swift's tasks
/// share, one piece at a time, in order.
///
/// Serial on purpose: a concurrent queue of Dispatch shares its limited threads with Swift's tasks,
/// so that a few mail servers that hang would stop everything else.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// The result of `work`.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// The result of `work`, which does not throw.
    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
