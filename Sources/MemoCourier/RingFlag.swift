import Synchronization

/// Remembers that a sender called, until a wait has returned.
package final class RingFlag: Sendable {
    private struct State {
        var hasRung = false
        /// Whether the bell rang since the last ``RingFlag/take()``.
        var isCalled = false
        /// The number of the latest wait.
        var wait = 0
        /// The number of the latest wait that was given up.
        var givenUp = 0
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func raise() {
        let waiter = state.withLock { state in
            state.isCalled = true
            state.hasRung = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    /// Whether the bell rang since this function was called last, whatever waits there were.
    package func take() -> Bool {
        state.withLock { state in
            defer { state.isCalled = false }
            return state.isCalled
        }
    }

    /// Waits for a ring since the last wait.
    ///
    /// - Returns: `false` when none came in time, or the task was cancelled.
    package func wait(within patience: Duration) async -> Bool {
        await wait { try? await Task.sleep(for: patience) }
    }

    /// Waits for a ring since the last wait, for as long as `work` takes.
    ///
    /// - Parameter work: Cancelled by a ring, which does not wait for its end.
    /// - Returns: `false` when none came before the end of `work`, or the task was cancelled.
    package func wait(during work: @escaping @Sendable () async -> Void) async -> Bool {
        let number = state.withLock { state in
            state.wait += 1
            return state.wait
        }
        let task = Task {
            await work()
            giveUp(number)
        }
        defer { task.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.hasRung {
                        state.hasRung = false
                        return true
                    }
                    if state.givenUp >= number { return false }
                    state.waiter = waiter
                    return nil
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state in
            // The wait of a later number is not over.
            guard state.wait == number else { return nil as CheckedContinuation<Bool, Never>? }
            state.givenUp = number
            return state.waiter.take()
        }
        waiter?.resume(returning: false)
    }
}
