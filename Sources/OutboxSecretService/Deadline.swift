#if os(Linux)
    import Dispatch
    import LibsecretShims
    import Synchronization

    /// Cancels the running call when its time is over.
    final class Deadline: Sendable {
        /// A `GCancellable`, which any thread may cancel.
        private let target: Mutex<SecretObject?>

        init(cancelling cancellable: SecretObject, after wait: Duration) {
            target = Mutex(cancellable)
            let (seconds, attoseconds) = wait.components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                guard let target = self.target.withLock({ $0 }) else { return }
                target.library.g_cancellable_cancel(target.pointer)
            }
        }

        /// Ends the deadline: it cancels no later call.
        func end() {
            target.withLock { $0 = nil }
        }
    }
#endif
