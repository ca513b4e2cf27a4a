/// A rule that says where an entity stands in an ``OrderedIndex``, and whether it stands there at
/// all.
///
/// ```swift
/// enum BySending: IndexOrder {
///     static func key(of memo: Memo) -> Int64? { memo.isDeleted ? nil : memo.sentAt }
/// }
/// ```
///
/// A rule is a type that is never made, so that an index stores nothing but its entries.
public protocol IndexOrder<Entity>: SendableMetatype {
    /// What is put in order.
    associatedtype Entity: StoreCore.Entity
    /// What entities are ordered by; those of equal keys are ordered by their identifiers. The
    /// order must be total: a floating-point key must not be NaN.
    associatedtype Key: Comparable

    /// The key of an entity; `nil` if it is not in the index. It depends on the entity alone: not
    /// on the time of day, a setting or another entity, of which the index would not hear.
    static func key(of entity: Entity) -> Key?
}

/// A rule that says in which group of a ``GroupedIndex`` an entity is, and where among the others.
///
/// ```swift
/// enum ByStatus: IndexGrouping {
///     static func group(of memo: Memo) -> Status? { memo.status }
///     static func key(of memo: Memo) -> Int64? { memo.sentAt }
/// }
/// ```
public protocol IndexGrouping<Entity>: IndexOrder {
    /// Groups follow one another in this order. An enumeration without raw values is Comparable by
    /// declaring it so.
    associatedtype Group: Hashable & Comparable

    /// The group of an entity; `nil` if it is not in the index. It depends on the entity alone, as
    /// its key does.
    static func group(of entity: Entity) -> Group?
}
