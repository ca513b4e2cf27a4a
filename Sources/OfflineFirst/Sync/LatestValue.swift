import Synchronization

/// Tells the newest of a number of values to all that listen.
final class LatestValue<Value: Sendable>: Sendable {
    private struct Listeners: Sendable {
        var last: UInt64 = 0
        var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
    }

    private let listeners = Mutex(Listeners())

    deinit {
        for continuation in listeners.withLock({ $0.continuations }).values {
            continuation.finish()
        }
    }

    /// A sequence of the values: a slow consumer gets the newest.
    ///
    /// - Parameter first: The present value. It is read when all later values come here already.
    func stream(beginningWith first: () -> Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = listeners.withLock { listeners in
            listeners.last += 1
            listeners.continuations[listeners.last] = continuation
            return listeners.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        continuation.yield(first())
        return stream
    }

    /// Tells a value, which is made if anything listens.
    func send(_ value: @autoclosure () -> Value) {
        let continuations = listeners.withLock { $0.continuations }
        guard !continuations.isEmpty else { return }
        let value = value()
        for continuation in continuations.values { continuation.yield(value) }
    }
}
