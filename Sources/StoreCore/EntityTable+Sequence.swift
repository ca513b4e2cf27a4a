extension EntityTable: Sequence {
    @inlinable
    public var underestimatedCount: Int { count }

    /// - Complexity: O(log n); a whole iteration O(n).
    @inlinable
    public func makeIterator() -> Iterator {
        Iterator(TreeIterator(root, 0..<count))
    }

    /// Goes through the entities of a table as it was when the iteration began.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var base: TreeIterator<E, NoLabel>

        @inlinable
        init(_ base: TreeIterator<E, NoLabel>) {
            self.base = base
        }

        /// - Complexity: O(1), averaged over an iteration.
        @inlinable
        public mutating func next() -> E? {
            base.next()
        }
    }
}

// The iterator's blocks belong to a table, and no table writes to a shared block.
extension EntityTable.Iterator: @unchecked Sendable where E: Sendable, Indexes: Sendable {}
