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
    /// What the table holds.
    associatedtype Entity: StoreCore.Entity

    /// The indexes of an empty table.
    init()

    /// Tells each index of one change of the table: one line for each.
    mutating func update(_ change: EntityChange<Entity>)
}

/// For a table that is only looked up by identifier.
public struct NoIndexes<Entity: StoreCore.Entity>: EntityIndexes, Equatable, Sendable {
    @inlinable
    public init() {}

    @inlinable
    public mutating func update(_ change: EntityChange<Entity>) {}
}
