public import Synchronization

/// The version of one store, readable without its lock.
@usableFromInline
final class CommitClock: Sendable {
    @usableFromInline let version = Atomic<UInt64>(0)

    init() {}
}
