/// What happened to one entity between two snapshots of its table.
public struct EntityChange<E: Entity> {
    /// The entity as it was; `nil` if it was not in the table.
    public let old: E?
    /// The entity as it is; `nil` if it is no longer in the table.
    public let new: E?

    /// An entity that was not in the table came into it.
    ///
    /// - Complexity: O(1).
    @inlinable
    public static func inserted(_ new: E) -> Self {
        Self(old: nil, new: new)
    }

    /// An entity of the table became another value with the same identifier.
    ///
    /// - Precondition: both have the same identifier.
    /// - Complexity: O(1).
    @inlinable
    public static func updated(from old: E, to new: E) -> Self {
        precondition(old.id == new.id, "An update never changes the identifier of an entity.")
        return Self(old: old, new: new)
    }

    /// An entity left the table.
    ///
    /// - Complexity: O(1).
    @inlinable
    public static func removed(_ old: E) -> Self {
        Self(old: old, new: nil)
    }

    @inlinable
    init(old: E?, new: E?) {
        self.old = old
        self.new = new
    }

    /// Whose change it is.
    ///
    /// - Complexity: O(1).
    @inlinable
    public var id: EntityID<E> {
        if let new { return new.id }
        guard let old else { preconditionFailure("A change has an old or a new value.") }
        return old.id
    }
}

extension EntityChange: Equatable {}
extension EntityChange: Sendable where E: Sendable {}
