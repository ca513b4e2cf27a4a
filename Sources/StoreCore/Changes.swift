/// A state and the one before it: what an observer of a store is handed after a commit.
///
/// It is immutable and stands by itself: it may be kept, handed to another thread (if the state is
/// Sendable) and asked long after the store has moved on. It holds these two states and no older
/// `Changes`, so a chain of commits is not kept alive by its last link.
#if !hasFeature(Embedded)
    @dynamicMemberLookup
#endif
public final class Changes<State> {
    /// The state before the commit; `nil` in the first delivery to an observer, which tells the
    /// state as it is.
    public let previous: State?
    /// The state after the commit.
    public let current: State
    /// How many commits the store has seen, this one included; 0 for the state that a store begins
    /// with.
    public let version: UInt64
    /// Where the commit was made; in a first delivery, where the state came from.
    public let origin: CommitOrigin

    /// - Complexity: O(1), and a copy of both states.
    @inlinable
    public init(previous: State?, current: State, version: UInt64, origin: CommitOrigin) {
        self.previous = previous
        self.current = current
        self.version = version
        self.origin = origin
    }
}

extension Changes: Sendable where State: Sendable {}

#if !hasFeature(Embedded)
    extension Changes {
        /// A part of the current state.
        ///
        /// - Complexity: that of the key path.
        @inlinable
        public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
            current[keyPath: path]
        }
    }
#endif
