internal import Dispatch

/// Runs work that blocks (files, sockets, a database) away from the threads that Swift's tasks
/// share.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter isSerial: Whether one piece of work runs at a time, in order.
    init(label: String, isSerial: Bool) {
        queue = DispatchQueue(label: label, attributes: isSerial ? [] : .concurrent)
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
