/// Observers of single entities, found by a change of their entity.
///
/// ```swift
/// new.memos.changes(since: old.memos) { change in
///     observers.forEach(of: change) { $0.tell(change) }
/// }
/// ```
///
/// A commit costs time for its changes, however many observers other entities have.
public typealias EntityObservers<E: Entity, Observer> = ObserverRoutes<EntityID<E>, Observer>

extension ObserverRoutes {
    /// Calls `body` with each observer of the entity that a change concerns.
    ///
    /// - Complexity: O(*k*) for *k* observers of this entity.
    @inlinable
    public func forEach<E: Entity>(of change: EntityChange<E>, _ body: (Observer) -> Void)
    where Key == EntityID<E> {
        forEach(of: change.id, body)
    }
}

/// Observers of single groups of a ``GroupedIndex``, found by the groups that a commit touched.
///
/// A commit touches a group when an entity comes into the group, leaves it, or changes within it.
///
/// ```swift
/// new.memos.changes(since: old.memos) { observers.record($0) }
/// observers.forEachTouched { group, observer in observer.tell(group) }
/// ```
public struct GroupObservers<Grouping: IndexGrouping, Observer> {
    /// The observers by group.
    public var routes = ObserverRoutes<Grouping.Group, Observer>()
    @usableFromInline var touched: Set<Grouping.Group> = []

    /// - Complexity: O(1).
    @inlinable
    public init() {}

    /// Remembers the observed groups that a change touches.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func record(_ change: EntityChange<Grouping.Entity>) {
        if let old = change.old { touch(old) }
        if let new = change.new { touch(new) }
    }

    /// Calls `body` once with each observer of a touched group, whatever the number of changes, and
    /// forgets the touched groups. The groups come in an unspecified order.
    ///
    /// - Complexity: O(*k*) for *k* observers of touched groups.
    @inlinable
    public mutating func forEachTouched(_ body: (Grouping.Group, Observer) -> Void) {
        if touched.isEmpty { return }
        let groups = touched
        touched = []
        for group in groups {
            routes.forEach(of: group) { body(group, $0) }
        }
    }

    @inlinable
    mutating func touch(_ entity: Grouping.Entity) {
        guard Grouping.key(of: entity) != nil, let group = Grouping.group(of: entity),
            routes.hasObservers(of: group)
        else { return }
        touched.insert(group)
    }
}

extension GroupObservers: Sendable where Grouping.Group: Sendable, Observer: Sendable {}
