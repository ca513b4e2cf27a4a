/// The change of one entity between two snapshots of its table.
public struct EntityChange<E: Entity> {
    /// The entity in the old snapshot; `nil` if the snapshot does not have it.
    public let old: E?
    /// The entity in the new snapshot; `nil` if the snapshot does not have it.
    public let new: E?

    /// The insertion of an entity.
    ///
    /// - Complexity: O(1).
    @inlinable
    public static func inserted(_ new: E) -> Self {
        Self(old: nil, new: new)
    }

    /// The update of an entity to another value with the same identifier.
    ///
    /// - Precondition: Both have the same identifier.
    /// - Complexity: O(1).
    @inlinable
    public static func updated(from old: E, to new: E) -> Self {
        precondition(old.id == new.id, "An update never changes the identifier of an entity.")
        return Self(old: old, new: new)
    }

    /// The removal of an entity.
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

    /// The identifier of the changed entity.
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
