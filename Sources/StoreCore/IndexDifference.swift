/// The steps from one snapshot of an index, or of a part of it, to another, for a list view:
/// removals, insertions and moves of rows.
///
/// Removals and the starts of moves have positions in the old snapshot; insertions and the ends of
/// moves have positions in the new snapshot, as list views take them. A row that keeps its key is
/// not in the difference, even if rows around it come and go.
public struct IndexDifference<E: Entity>: Equatable, Sendable {
    /// A row and its position.
    public struct Row: Equatable, Sendable {
        /// The row's position, counted from 0.
        public let position: Int
        /// The entity in that row.
        public let id: EntityID<E>

        @inlinable
        init(position: Int, id: EntityID<E>) {
            self.position = position
            self.id = id
        }
    }

    /// A row that both snapshots have, with different keys.
    public struct Move: Equatable, Sendable {
        /// The position in the old snapshot.
        public let from: Int
        /// The position in the new snapshot.
        public let to: Int
        /// The entity that moved.
        public let id: EntityID<E>

        @inlinable
        init(from: Int, to: Int, id: EntityID<E>) {
            self.from = from
            self.to = to
            self.id = id
        }
    }

    /// Rows of the old snapshot that the new one does not have, in ascending order.
    public let removals: [Row]
    /// Rows of the new snapshot that the old one does not have, in ascending order.
    public let insertions: [Row]
    /// Rows whose key changed, in the order of their identifiers.
    public let moves: [Move]

    /// - Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty }

    /// - Parameters:
    ///   - gone: Entries of the old snapshot that are not in the new one, in ascending order.
    ///   - come: Entries of the new snapshot that are not in the old one, in ascending order.
    /// - Complexity: O(*d* log *d*) for *d* entries.
    @inlinable
    init(gone: [Row], come: [Row]) {
        let goneByID = gone.sorted { $0.id < $1.id }
        let comeByID = come.sorted { $0.id < $1.id }
        var moves: [Move] = []
        var i = 0
        var j = 0
        while i < goneByID.count, j < comeByID.count {
            let old = goneByID[i]
            let new = comeByID[j]
            if old.id == new.id {
                moves.append(Move(from: old.position, to: new.position, id: old.id))
            }
            if !(new.id < old.id) { i += 1 }
            if !(old.id < new.id) { j += 1 }
        }
        func isMoved(_ row: Row) -> Bool {
            var low = 0
            var high = moves.count
            while low < high {
                let middle = (low + high) / 2
                if moves[middle].id < row.id { low = middle + 1 } else { high = middle }
            }
            return low < moves.count && moves[low].id == row.id
        }
        removals = moves.isEmpty ? gone : gone.filter { !isMoved($0) }
        insertions = moves.isEmpty ? come : come.filter { !isMoved($0) }
        self.moves = moves
    }
}

extension IndexSlice {
    /// The rows that go, come and move between an older snapshot of the same list and this one.
    ///
    /// The two may be windows at different positions: the rows of each window are compared.
    ///
    /// - Complexity: O(*d* log n) for *d* entries of the index that changed since the snapshots
    ///   were equal, and O(*d* log *d*); at most O(n).
    @inlinable
    public func difference(from old: Self) -> IndexDifference<E> {
        var gone: [IndexDifference<E>.Row] = []
        var come: [IndexDifference<E>.Row] = []
        compare(
            with: old,
            gone: { gone.append(.init(position: $0, id: $1.id)) },
            come: { come.append(.init(position: $0, id: $1.id)) }
        )
        return IndexDifference(gone: gone, come: come)
    }

    @inlinable
    func compare(
        with old: Self,
        gone: (Int, IndexEntry<E, Key>) -> Void,
        come: (Int, IndexEntry<E, Key>) -> Void
    ) {
        OrderedTree.difference(
            from: old.tree,
            old.origin + old.startIndex..<old.origin + old.endIndex,
            to: tree,
            origin + startIndex..<origin + endIndex,
            removed: { gone($0 - old.origin, $1) },
            inserted: { come($0 - origin, $1) }
        )
    }
}

extension IndexSlice: Equatable {
    /// Whether both slices have the same identifiers with the same keys, wherever in their indexes.
    ///
    /// - Complexity: As that of ``difference(from:)``.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        if left.count != right.count { return false }
        var areEqual = true
        right.compare(
            with: left,
            gone: { _, _ in areEqual = false },
            come: { _, _ in areEqual = false }
        )
        return areEqual
    }
}

extension OrderedIndex {
    /// The rows that go, come and move between an older snapshot of this index and itself.
    ///
    /// - Complexity: O(*d* log n) for *d* entries that changed since the snapshots were equal, and
    ///   O(*d* log *d*); at most O(n).
    @inlinable
    public func difference(from old: Self) -> IndexDifference<Order.Entity> {
        self[0..<count].difference(from: old[0..<old.count])
    }
}

extension OrderedIndex: Equatable {
    /// Whether both indexes have the same entities with the same keys.
    ///
    /// - Complexity: As that of ``difference(from:)``.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left[0..<left.count] == right[0..<right.count]
    }
}

extension GroupedIndex: Equatable {
    /// Whether both indexes have the same entities in the same groups with the same keys.
    ///
    /// - Complexity: O(*d* log n) for *d* entries that changed since the snapshots were equal; at
    ///   most O(n).
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        IndexSlice(left.tree, 0..<left.count) == IndexSlice(right.tree, 0..<right.count)
    }
}
