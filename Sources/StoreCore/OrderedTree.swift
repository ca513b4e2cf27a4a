// The persistent B-tree under OrderedIndex and GroupedIndex.
//
// Invariants
// 1. All leaves are at the same depth; `mark` is the height of a branch, 0 that of a leaf.
// 2. Entries ascend within a leaf and from leaf to leaf. None is there twice.
// 3. The label of a child holds the first entry below it and how many there are.
// 4. No block is empty. A removal joins a block of its path that gets less than a third full with a
//    neighbour, where both fit into one.

/// An entity's position in an index.
@usableFromInline
struct IndexEntry<E: Entity, Key: Comparable>: Comparable {
    @usableFromInline let key: Key
    @usableFromInline let id: EntityID<E>

    @inlinable
    init(key: Key, id: EntityID<E>) {
        self.key = key
        self.id = id
    }

    @inlinable
    static func < (left: Self, right: Self) -> Bool {
        left.key < right.key || (left.key == right.key && left.id < right.id)
    }

    @inlinable
    static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.key == right.key
    }
}

@usableFromInline
struct OrderedLabel<Entry> {
    @usableFromInline var first: Entry
    @usableFromInline var weight: Int

    @inlinable
    init(first: Entry, weight: Int) {
        self.first = first
        self.weight = weight
    }
}

/// Entries in order, by position and by value.
@usableFromInline
struct OrderedTree<E: Entity, Key: Comparable> {
    @usableFromInline typealias Entry = IndexEntry<E, Key>
    @usableFromInline typealias Node = TreeNode<Entry, OrderedLabel<Entry>>

    @usableFromInline var root: Node?

    @inlinable
    init() {}

    @inlinable
    var count: Int { root?.head.weight ?? 0 }

    @inlinable static var branchCapacity: Int { 16 }

    /// Blocks of at most about 800 bytes, which allocators hand out fastest.
    @inlinable static var leafCapacity: Int {
        max(8, min(32, 768 / MemoryLayout<Entry>.stride))
    }
}

extension OrderedTree: @unchecked Sendable where E: Sendable, Key: Sendable {}

// MARK: - Reading

extension OrderedTree {
    /// The number of entries that fulfil a condition, which must hold up to some point and for no
    /// entry behind it.
    @inlinable
    func count(while precedes: (Entry) -> Bool) -> Int {
        guard let root else { return 0 }
        return withExtendedLifetime(root) {
            var current = Unmanaged.passUnretained(root)
            var passed = 0
            while true {
                let header = current._withUnsafeGuaranteedRef { $0.head }
                if header.isLeaf {
                    return passed
                        + current._withUnsafeGuaranteedRef { node in
                            node.withItems { items in
                                Self.partition(header.count) { precedes(items[$0]) }
                            }
                        }
                }
                let child = current._withUnsafeGuaranteedRef { node in
                    node.withChildren { children -> Unmanaged<Node> in
                        let slot = Self.childSlot(header.count) {
                            precedes(children[$0].label.first)
                        }
                        for earlier in 0..<slot { passed &+= children[earlier].label.weight }
                        return Unmanaged.passUnretained(children[slot].node)
                    }
                }
                current = child
            }
        }
    }

    @inlinable
    func entry(at position: Int) -> Entry {
        guard let root, position >= 0, position < root.head.weight else {
            preconditionFailure("The position is outside of the index.")
        }
        return withExtendedLifetime(root) {
            var current = Unmanaged.passUnretained(root)
            var rest = position
            while !current._withUnsafeGuaranteedRef({ $0.head.isLeaf }) {
                let child = current._withUnsafeGuaranteedRef { node in
                    node.withChildren { children -> Unmanaged<Node> in
                        var slot = 0
                        while rest >= children[slot].label.weight {
                            rest &-= children[slot].label.weight
                            slot &+= 1
                        }
                        return Unmanaged.passUnretained(children[slot].node)
                    }
                }
                current = child
            }
            return current._withUnsafeGuaranteedRef { node in node.withItems { $0[rest] } }
        }
    }

    @inlinable
    func position(of entry: Entry) -> Int? {
        let position = count { $0 < entry }
        return position < count && self.entry(at: position) == entry ? position : nil
    }

    /// The number of positions below `count` that fulfil a condition, which must hold up to some
    /// point.
    @inlinable
    static func partition(_ count: Int, _ precedes: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            if precedes(middle) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// The child in which the point lies, given for which children the first entry lies before it.
    @inlinable
    static func childSlot(_ count: Int, _ firstPrecedes: (Int) -> Bool) -> Int {
        max(0, partition(count, firstPrecedes) &- 1)
    }
}
