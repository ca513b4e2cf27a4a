import Dispatch
import Outbox
import Synchronization

/// Knows which calls of a storage are under way, so that closing the storage can wait for them.
final class CallsUnderWay: Sendable {
    private let isClosing = Mutex(false)
    private let isClosed = Mutex(false)
    private let calls = DispatchGroup()

    /// Runs one call.
    ///
    /// - Throws: ``/Outbox/StorageError/closed`` once ``close(_:)`` has begun; what `body` throws.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        let isOpen = isClosing.withLock { isClosing in
            if !isClosing { calls.enter() }
            return !isClosing
        }
        guard isOpen else { throw StorageError.closed }
        defer { calls.leave() }
        return try body()
    }

    /// Refuses later calls, waits for those under way, and runs `body`, once in the lifetime of
    /// this object. Whoever calls it while another one runs `body` waits for that.
    func close(_ body: () -> Void) {
        isClosing.withLock { $0 = true }
        isClosed.withLock { isClosed in
            calls.wait()
            if !isClosed { body() }
            isClosed = true
        }
    }
}
