import Synchronization

/// Remembers that the bell rang, until ``wait(within:)`` has returned.
final class RingFlag: Sendable {
    private struct State {
        var hasRung = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    func raise() {
        let waiter = state.withLock { state in
            state.hasRung = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    /// Waits for a ring since the last wait.
    ///
    /// - Returns: `false` when none came in time, or the task was cancelled.
    func wait(within patience: Duration) async -> Bool {
        let timeout = Task {
            try await Task.sleep(for: patience)
            giveUp()
        }
        defer { timeout.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.hasRung {
                        state.hasRung = false
                        return true
                    }
                    state.waiter = waiter
                    return nil
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            giveUp()
        }
    }

    private func giveUp() {
        state.withLock { $0.waiter.take() }?.resume(returning: false)
    }
}
