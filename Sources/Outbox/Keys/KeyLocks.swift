import LibC
import Synchronization

/// Orders the accesses of several processes to the keys of one storage, by advisory locks on two
/// files, `PREFIX-lock` and `PREFIX-use`, which the system frees when a holder dies.
///
/// A process holds the first lock while it changes keys. All processes that have read the keys
/// share the second lock, so that a key is only removed when no process can store anything under it
/// any more.
package final class KeyLocks: Sendable {
    /// The longest wait for another process, in milliseconds. Removing and adding take moments;
    /// only a person who is asked to unlock a keyring takes longer.
    private static let patience = 10_000
    /// The shared lock of this object.
    private enum Use: Sendable {
        case free
        /// The file that holds the lock.
        case held(Int32)
        /// The lock cannot be taken any more.
        case closed

        var descriptor: Int32? {
            if case .held(let descriptor) = self { descriptor } else { nil }
        }
    }

    private let prefix: String
    private let use = Mutex(Use.free)

    package init(prefix: String) {
        self.prefix = prefix
    }

    deinit {
        close()
    }

    /// Gives the shared lock back for good: call this when nothing can be stored under a key that
    /// was read.
    package func close() {
        use.withLock { use in
            if let descriptor = use.descriptor { unlockAndClose(descriptor) }
            use = .closed
        }
    }

    /// Takes the shared lock until ``close()``, or for as long as this object lives. Call this before
    /// reading the keys. After ``close()`` this throws.
    ///
    /// Takes no lock where the disk is read-only and no file can be made: no process can remove a
    /// key there either.
    package func share() throws(KeyStoreError) {
        try use.withLock { (use) throws(KeyStoreError) in
            switch use {
            case .free: break
            case .held: return
            case .closed: throw .unreadable(code: EBADF)
            }
            let descriptor = open(prefix + "-use", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if [EROFS, EACCES, ENOENT].contains(errno) { return }
                throw .unreadable(code: errno)
            }
            do throws(KeyStoreError) {
                try Self.take(LOCK_SH, descriptor)
            } catch {
                unlockAndClose(descriptor)
                throw error
            }
            use = .held(descriptor)
        }
    }

    /// Runs `body` while no other process or object changes the keys.
    ///
    /// - Throws: ``KeyStoreError/cannotCreate(code:)`` when the lock's file cannot be made,
    ///   ``KeyStoreError/withheld(_:)`` when another process kept the lock; the error of `body`.
    package func changing<Result>(
        _ body: () throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        let descriptor = open(prefix + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(code: errno) }
        defer { unlockAndClose(descriptor) }
        try Self.take(LOCK_EX, descriptor)
        return try body()
    }

    /// Runs `body` while no other process or object has the keys or can get them.
    ///
    /// - Returns: `nil` when another process or object has the keys.
    package func alone<Result>(_ body: () throws -> Result) throws -> Result? {
        try share()
        guard let descriptor = use.withLock({ $0.descriptor }) else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // A failed conversion may lose the lock (flock(2)).
            try Self.take(LOCK_SH, descriptor)
            return nil
        }
        defer { flock(descriptor, LOCK_SH) }
        return try body()
    }

    private static func take(_ kind: Int32, _ descriptor: Int32) throws(KeyStoreError) {
        var waited = 0
        while flock(descriptor, kind | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .unreadable(code: errno) }
            guard waited < patience else { throw .withheld(.silent) }
            var step = timespec(tv_sec: 0, tv_nsec: 2_000_000)
            nanosleep(&step, nil)
            waited += 2
        }
    }
}
