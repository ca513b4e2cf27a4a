import Foundation

/// Runs what waits or computes for long on a thread of its own: other tests need the task threads meanwhile.
///
/// A test waits for a process here. The process may have ended, and its output still be open: a process that another
/// test starts at the same moment may inherit the pipe, and that test may need a task thread to end it.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Result { try body() }) }
    }
}
