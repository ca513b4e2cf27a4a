#if os(Linux)
    import Dispatch
    import LibsecretShims
    import Synchronization

    /// Cancels what is under way when time is up.
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

        /// Nothing that begins from here on is cancelled.
        func end() {
            target.withLock { $0 = nil }
        }
    }
#endif
