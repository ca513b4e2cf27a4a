import Foundation

/// Runs long work on a thread of its own: other tests need the task threads meanwhile.
func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Swift.Result { try body() }) }
    }
}
