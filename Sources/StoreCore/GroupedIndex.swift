/// The identifiers of a table's entities by group, in the order of a key within each group.
///
/// ```swift
/// let failed = state.memos.indexes.byStatus[.failed]
/// failed.count
/// failed.first
/// ```
///
/// All groups are in one persistent B-tree, in the order of the groups, so that a change costs one
/// or two of its paths however many groups there are. A group without entities is not stored.
/// Complexities are for *n* entities in the index.
public struct GroupedIndex<Grouping: IndexGrouping> {
    /// An entity's position: its group, and its key within the group.
    public typealias Key = GroupedKey<Grouping.Group, Grouping.Key>
    /// The entities of one group, in order.
    public typealias Slice = IndexSlice<Grouping.Entity, Key>

    @usableFromInline var tree = OrderedTree<Grouping.Entity, Key>()
    @usableFromInline var isMaintained = false

    /// - Complexity: O(1).
    @inlinable
    public init() {}

    /// Updates the index after a change of the table.
    ///
    /// - Precondition: `change.old` is the value that the index was last updated with.
    /// - Complexity: O(1) if group and key stay as they are, else O(log n).
    @inlinable
    public mutating func update(_ change: EntityChange<Grouping.Entity>) {
        isMaintained = true
        let old = change.old.flatMap { Self.key(of: $0) }
        let new = change.new.flatMap { Self.key(of: $0) }
        tree.move(change.id, from: old, to: new)
    }

    /// The number of entities in all groups.
    ///
    /// - Complexity: O(1).
    @inlinable
    public var count: Int { tree.count }

    /// - Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { tree.count == 0 }

    /// The entities of a group in their order; empty if there is no such group.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public subscript(group: Grouping.Group) -> Slice {
        let start = tree.count { $0.key.group < group }
        let end = tree.count { !(group < $0.key.group) }
        return IndexSlice(tree, origin: start, 0..<(end - start))
    }

    /// The number of entities in a group.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func count(of group: Grouping.Group) -> Int {
        self[group].count
    }

    /// The position of an entity in its group; `nil` if the entity is not in the index.
    ///
    /// - Parameter entity: The entity as the table has it.
    /// - Complexity: O(log n).
    @inlinable
    public func position(of entity: Grouping.Entity) -> Int? {
        guard let key = Self.key(of: entity),
            let position = tree.position(of: IndexEntry(key: key, id: entity.id))
        else { return nil }
        return position - tree.count { $0.key.group < key.group }
    }

    /// The groups that have entities, in their order.
    ///
    /// - Complexity: O(*g* log n) for *g* groups.
    @inlinable
    public var groups: [Grouping.Group] {
        var groups: [Grouping.Group] = []
        var position = 0
        while position < tree.count {
            let group = tree.entry(at: position).key.group
            groups.append(group)
            position = tree.count { !(group < $0.key.group) }
        }
        return groups
    }

    @inlinable
    static func key(of entity: Grouping.Entity) -> Key? {
        guard let group = Grouping.group(of: entity), let key = Grouping.key(of: entity) else {
            return nil
        }
        return GroupedKey(group: group, key: key)
    }
}

extension GroupedIndex: Sendable
where Grouping.Entity: Sendable, Grouping.Group: Sendable, Grouping.Key: Sendable {}

/// The key of a ``GroupedIndex``: ordered by the group, then by the key within the group.
public struct GroupedKey<Group: Comparable, Key: Comparable>: Comparable {
    /// The group. It comes first in the order.
    public let group: Group
    /// The key within the group.
    public let key: Key

    @inlinable
    init(group: Group, key: Key) {
        self.group = group
        self.key = key
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.group < right.group || (left.group == right.group && left.key < right.key)
    }
}

extension GroupedKey: Sendable where Group: Sendable, Key: Sendable {}
