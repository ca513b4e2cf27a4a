import Foundation

/// A value behind a lock that the thread sanitizer knows.
///
/// It does not see `Synchronization.Mutex` on Linux when threads wait for it: that code lies in the
/// standard library, which is not instrumented.
final class Kept<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
