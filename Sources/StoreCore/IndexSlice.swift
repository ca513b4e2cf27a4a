/// Consecutive identifiers of an index: a window of a list, a range of keys, or a group.
///
/// A slice is a snapshot: it does not follow later changes of its index. A part of an
/// ``OrderedIndex`` has the positions of the index; positions in a group are counted from 0.
public struct IndexSlice<E: Entity, Key: Comparable>: RandomAccessCollection {
    @usableFromInline let tree: OrderedTree<E, Key>
    /// The position in the tree of position 0.
    @usableFromInline let origin: Int
    public let startIndex: Int
    public let endIndex: Int

    @inlinable
    init(_ tree: OrderedTree<E, Key>, origin: Int = 0, _ range: Range<Int>) {
        self.tree = tree
        self.origin = origin
        startIndex = range.lowerBound
        endIndex = range.upperBound
    }

    /// The identifier at a position.
    ///
    /// - Precondition: The position is one of `indices`.
    /// - Complexity: O(log n).
    @inlinable
    public subscript(position: Int) -> EntityID<E> {
        precondition(
            position >= startIndex && position < endIndex,
            "The position is outside of the slice."
        )
        return tree.entry(at: origin + position).id
    }

    /// A part of the slice, with its positions.
    ///
    /// - Precondition: The range lies within `indices`.
    /// - Complexity: O(1).
    @inlinable
    public subscript(range: Range<Int>) -> Self {
        precondition(
            range.lowerBound >= startIndex && range.upperBound <= endIndex,
            "The range is outside of the slice."
        )
        return Self(tree, origin: origin, range)
    }

    /// - Complexity: O(log n); a whole iteration takes O(1) for each identifier.
    @inlinable
    public func makeIterator() -> Iterator {
        Iterator(TreeIterator(tree.root, origin + startIndex..<origin + endIndex))
    }

    /// Goes through identifiers in their order.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var base:
            TreeIterator<IndexEntry<E, Key>, OrderedLabel<IndexEntry<E, Key>>>

        @inlinable
        init(_ base: TreeIterator<IndexEntry<E, Key>, OrderedLabel<IndexEntry<E, Key>>>) {
            self.base = base
        }

        /// - Complexity: O(1), averaged over an iteration.
        @inlinable
        public mutating func next() -> EntityID<E>? {
            base.next()?.id
        }
    }
}

extension IndexSlice: Sendable where E: Sendable, Key: Sendable {}
extension IndexSlice.Iterator: @unchecked Sendable where E: Sendable, Key: Sendable {}
