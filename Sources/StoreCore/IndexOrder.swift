/// A rule for the position of an entity in an ``OrderedIndex``, and for whether the index has it.
///
/// ```swift
/// enum BySending: IndexOrder {
///     static func key(of memo: Memo) -> Int64? { memo.isDeleted ? nil : memo.sentAt }
/// }
/// ```
///
/// A rule is a type without values, so that an index stores nothing but its entries.
public protocol IndexOrder<Entity>: SendableMetatype {
    /// The type of the ordered entities.
    associatedtype Entity: StoreCore.Entity
    /// The type that entities are ordered by. Entities of equal keys are ordered by their
    /// identifiers. The order must be total: a floating-point key must not be NaN.
    associatedtype Key: Comparable

    /// The key of an entity; `nil` for an entity that the index leaves out.
    ///
    /// The key must depend on the entity alone. The time of day, a setting or another entity can
    /// change without an update of the index.
    static func key(of entity: Entity) -> Key?
}

/// A rule for the group of an entity in a ``GroupedIndex``, and for its position within the group.
///
/// ```swift
/// enum ByStatus: IndexGrouping {
///     static func group(of memo: Memo) -> Status? { memo.status }
///     static func key(of memo: Memo) -> Int64? { memo.sentAt }
/// }
/// ```
public protocol IndexGrouping<Entity>: IndexOrder {
    /// The type of the groups, which follow one another in its order. An enumeration without raw
    /// values becomes Comparable by declaring the conformance.
    associatedtype Group: Hashable & Comparable

    /// The group of an entity; `nil` for an entity that the index leaves out.
    ///
    /// The group must depend on the entity alone, as the key must.
    static func group(of entity: Entity) -> Group?
}
