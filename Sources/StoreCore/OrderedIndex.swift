/// The identifiers of a table's entities in the order of a key: by position, by key, and as a list
/// that a view shows a window of.
///
/// ```swift
/// let index = state.memos.indexes.bySending
/// let rows = index[1_000..<1_050].map { state.memos[$0] }
/// ```
///
/// Positions are counted from 0. The index is a persistent B-tree: a copy shares all blocks, and a
/// change costs one or two paths. An entity whose key is `nil` is not in the index. Complexities
/// are for *n* entities in the index.
public struct OrderedIndex<Order: IndexOrder> {
    public typealias Element = EntityID<Order.Entity>

    @usableFromInline var tree = OrderedTree<Order.Entity, Order.Key>()
    @usableFromInline var isMaintained = false

    /// - Complexity: O(1).
    @inlinable
    public init() {}

    /// Updates the index after a change of the table.
    ///
    /// - Precondition: `change.old` is the value that the index was last updated with.
    /// - Complexity: O(1) if the key stays as it is, else O(log n).
    @inlinable
    public mutating func update(_ change: EntityChange<Order.Entity>) {
        isMaintained = true
        let old = change.old.flatMap { Order.key(of: $0) }
        let new = change.new.flatMap { Order.key(of: $0) }
        tree.move(change.id, from: old, to: new)
    }

    /// The position of an entity; `nil` if the entity is not in the index.
    ///
    /// - Parameter entity: The entity as the table has it.
    /// - Complexity: O(log n).
    @inlinable
    public func position(of entity: Order.Entity) -> Int? {
        Order.key(of: entity).flatMap { tree.position(of: IndexEntry(key: $0, id: entity.id)) }
    }

    /// The number of entities with a lesser key, which is the position of the first other entity.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func rank(of key: Order.Key) -> Int {
        tree.count { $0.key < key }
    }

    /// The entities from the first key up to, but not including, the second.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public subscript(keys keys: Range<Order.Key>) -> SubSequence {
        self[rank(of: keys.lowerBound)..<rank(of: keys.upperBound)]
    }

    /// The entities from the first key up to the second, both included.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public subscript(keys keys: ClosedRange<Order.Key>) -> SubSequence {
        self[rank(of: keys.lowerBound)..<tree.count { !(keys.upperBound < $0.key) }]
    }
}

extension OrderedIndex: Sendable where Order.Entity: Sendable, Order.Key: Sendable {}

extension OrderedIndex: RandomAccessCollection {
    @inlinable
    public var startIndex: Int { 0 }

    /// - Complexity: O(1).
    @inlinable
    public var endIndex: Int { tree.count }

    /// The identifier at a position.
    ///
    /// - Precondition: 0 ≤ position < count.
    /// - Complexity: O(log n).
    @inlinable
    public subscript(position: Int) -> EntityID<Order.Entity> {
        tree.entry(at: position).id
    }

    /// The identifiers at consecutive positions.
    ///
    /// - Precondition: The range lies within 0 and count.
    /// - Complexity: O(1). An iteration takes O(log n) and O(1) for each identifier.
    @inlinable
    public subscript(range: Range<Int>) -> IndexSlice<Order.Entity, Order.Key> {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= tree.count,
            "The range is outside of the index."
        )
        return IndexSlice(tree, range)
    }

    /// - Complexity: O(log n); a whole iteration takes O(1) for each identifier.
    @inlinable
    public func makeIterator() -> IndexSlice<Order.Entity, Order.Key>.Iterator {
        self[0..<count].makeIterator()
    }
}
