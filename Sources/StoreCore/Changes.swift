/// A state and the state before it, as an observer of a store receives them after a commit.
///
/// A `Changes` is immutable and independent of its store: it may be kept, handed to another thread
/// (if the state is Sendable) and read long after later commits. It holds two states and no older
/// `Changes`, so the last of a chain of commits does not keep the others alive.
#if !hasFeature(Embedded)
    @dynamicMemberLookup
#endif
public final class Changes<State> {
    /// The state before the commit; `nil` in the first delivery to an observer, which brings the
    /// current state.
    public let previous: State?
    /// The state after the commit.
    public let current: State
    /// The number of the store's commits up to and including this one; 0 for the initial state.
    public let version: UInt64
    /// The origin of the commit; in a first delivery, of the commit that made the current state.
    public let origin: CommitOrigin
    #if !hasFeature(Embedded)
        /// The objects in which `Store` keeps computed properties of the two states. `nil` where no
        /// `Store` made these changes.
        @usableFromInline package let memories:
            (previous: (any AnyObject & Sendable)?, current: (any AnyObject & Sendable)?)
    #endif

    /// Makes the changes of one commit.
    ///
    /// - Complexity: O(1), and a copy of both states.
    @inlinable
    public init(previous: State?, current: State, version: UInt64, origin: CommitOrigin) {
        self.previous = previous
        self.current = current
        self.version = version
        self.origin = origin
        #if !hasFeature(Embedded)
            memories = (nil, nil)
        #endif
    }

    #if !hasFeature(Embedded)
        /// Makes the changes of one commit, with the objects that keep the computed properties.
        @inlinable
        package init(
            previous: State?,
            current: State,
            version: UInt64,
            origin: CommitOrigin,
            memories: (previous: (any AnyObject & Sendable)?, current: (any AnyObject & Sendable)?)
        ) {
            self.previous = previous
            self.current = current
            self.version = version
            self.origin = origin
            self.memories = memories
        }
    #endif
}

extension Changes: Sendable where State: Sendable {}

#if !hasFeature(Embedded)
    extension Changes {
        /// A part of the current state.
        ///
        /// - Complexity: The cost of the key path.
        @inlinable
        public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
            current[keyPath: path]
        }
    }
#endif
