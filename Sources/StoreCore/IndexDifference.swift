/// What a list view has to do to go from one snapshot of an index, or of a part of it, to another:
/// which rows go, which come, and which move.
///
/// Positions of removals and of the starts of moves are those in the old snapshot, positions of
/// insertions and of the ends of moves those in the new one, as list views take them. A row that
/// stays while others come and go around it is not in the difference.
public struct IndexDifference<E: Entity>: Equatable, Sendable {
    /// A row and where it is.
    public struct Row: Equatable, Sendable {
        /// Counted from 0.
        public let position: Int
        /// The entity in that row.
        public let id: EntityID<E>

        @inlinable
        init(position: Int, id: EntityID<E>) {
            self.position = position
            self.id = id
        }
    }

    /// A row that is in both snapshots with another key.
    public struct Move: Equatable, Sendable {
        /// Its position before.
        public let from: Int
        /// Its position afterwards.
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

    /// Rows that are in the old snapshot only, in ascending order.
    public let removals: [Row]
    /// Rows that are in the new snapshot only, in ascending order.
    public let insertions: [Row]
    /// Rows whose key changed, in the order of their identifiers.
    public let moves: [Move]

    /// - Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty }

    /// - Parameters:
    ///   - gone: entries of the old snapshot that are not in the new one, in ascending order.
    ///   - come: entries of the new snapshot that are not in the old one, in ascending order.
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
    /// Both may be windows at other places: the difference is that of what each shows.
    ///
    /// - Complexity: O(*d* log n) for *d* entries of the index that changed since both were one,
    ///   and O(*d* log *d*); at most O(n).
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
    /// Whether both have the same identifiers with the same keys, wherever in their indexes.
    ///
    /// - Complexity: as that of ``difference(from:)``.
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
    /// - Complexity: O(*d* log n) for *d* entries that changed since both were one, and O(*d* log
    ///   *d*); at most O(n).
    @inlinable
    public func difference(from old: Self) -> IndexDifference<Order.Entity> {
        self[0..<count].difference(from: old[0..<old.count])
    }
}

extension OrderedIndex: Equatable {
    /// Whether both have the same entities with the same keys.
    ///
    /// - Complexity: as that of ``difference(from:)``.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left[0..<left.count] == right[0..<right.count]
    }
}

extension GroupedIndex: Equatable {
    /// Whether both have the same entities in the same groups with the same keys.
    ///
    /// - Complexity: O(*d* log n) for *d* entries that changed since both were one; at most O(n).
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        IndexSlice(left.tree, 0..<left.count) == IndexSlice(right.tree, 0..<right.count)
    }
}
