/// The indexes that an ``EntityTable`` keeps up to date.
///
/// ```swift
/// struct MemoIndexes: EntityIndexes {
///     var bySending = OrderedIndex<BySending>()
///     var byStatus = GroupedIndex<ByStatus>()
///
///     mutating func update(_ change: EntityChange<Memo>) {
///         bySending.update(change)
///         byStatus.update(change)
///     }
/// }
/// ```
///
/// An index that `update(_:)` forgets would stay empty. In a debug build the first insertion into
/// an empty table stops the program with the name of such an index.
public protocol EntityIndexes<Entity> {
    /// The type of the table's entities.
    associatedtype Entity: StoreCore.Entity

    /// The indexes of an empty table.
    init()

    /// Passes one change of the table on to each index, in one line for each.
    mutating func update(_ change: EntityChange<Entity>)
}

/// No index, for a table whose entities are only looked up by identifier.
public struct NoIndexes<Entity: StoreCore.Entity>: EntityIndexes, Equatable, Sendable {
    @inlinable
    public init() {}

    @inlinable
    public mutating func update(_ change: EntityChange<Entity>) {}
}
