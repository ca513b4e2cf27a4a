import Dispatch
import Outbox
import Synchronization

/// The calls of a storage that are under way, so that closing the storage can wait for them.
final class CallsUnderWay: Sendable {
    private let isClosing = Mutex(false)
    private let isClosed = Mutex(false)
    private let calls = DispatchGroup()

    /// Runs one call.
    ///
    /// - Throws: ``/Outbox/StorageError/closed`` once ``close(_:)`` has begun; the error of `body`.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        let isOpen = isClosing.withLock { isClosing in
            if !isClosing { calls.enter() }
            return !isClosing
        }
        guard isOpen else { throw StorageError.closed }
        defer { calls.leave() }
        return try body()
    }

    /// Refuses later calls, waits for the calls under way, and runs `body`, once in the lifetime of
    /// this object. A second caller waits until the first has run `body`.
    func close(_ body: () -> Void) {
        isClosing.withLock { $0 = true }
        isClosed.withLock { isClosed in
            calls.wait()
            if !isClosed { body() }
            isClosed = true
        }
    }
}
