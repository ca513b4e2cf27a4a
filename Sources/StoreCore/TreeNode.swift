/// One block of a persistent tree: a leaf with items, or a branch with children, in one allocation.
///
/// Hash trie and B-tree consist of these blocks and share them between snapshots: a block with more
/// than one parent is never written to (``makeUnique(_:)``), so that a snapshot never changes.
@usableFromInline
final class TreeNode<Item, Label>: ManagedBuffer<TreeHeader, UInt64> {
    deinit {
        let isLeaf = head.isLeaf
        let count = head.count
        _ = withUnsafeMutablePointerToElements { tail in
            if isLeaf {
                Self.items(tail).deinitialize(count: count)
            } else {
                Self.children(tail).deinitialize(count: count)
            }
        }
    }
}

@usableFromInline
struct TreeHeader {
    /// Items in the whole subtree.
    @usableFromInline var weight: Int
    /// Items, or children, that the block has room for.
    @usableFromInline var capacity: UInt32
    @usableFromInline var childCount: UInt16
    /// 0 in a leaf. In a branch of the trie the bit map of its children, in a branch of the B-tree
    /// its height.
    @usableFromInline var mark: UInt16

    @inlinable
    init(weight: Int, capacity: Int, childCount: Int, mark: UInt16) {
        self.weight = weight
        self.capacity = UInt32(truncatingIfNeeded: capacity)
        self.childCount = UInt16(truncatingIfNeeded: childCount)
        self.mark = mark
    }

    @inlinable
    var isLeaf: Bool { mark == 0 }

    /// Items of a leaf, children of a branch.
    @inlinable
    var count: Int { isLeaf ? weight : Int(childCount) }
}

/// A branch's reference to one child, with facts about the child that need no visit.
@usableFromInline
struct TreeChild<Item, Label> {
    @usableFromInline var node: TreeNode<Item, Label>
    @usableFromInline var label: Label

    @inlinable
    init(node: TreeNode<Item, Label>, label: Label) {
        self.node = node
        self.label = label
    }
}

extension TreeNode {
    @usableFromInline typealias Child = TreeChild<Item, Label>

    /// The header by its address. Each use of `header` itself would ask the runtime whether another
    /// one is under way; here each lasts for one load or store, and a writer has the block to
    /// itself.
    @inlinable
    var head: TreeHeader {
        get { withUnsafeMutablePointerToHeader { $0.pointee } }
        set { withUnsafeMutablePointerToHeader { $0.pointee = newValue } }
    }

    @inlinable
    static func items(_ tail: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<Item> {
        let raw = UnsafeMutableRawPointer(tail)
        return (MemoryLayout<Item>.alignment > 8 ? raw.alignedUp(for: Item.self) : raw)
            .assumingMemoryBound(to: Item.self)
    }

    @inlinable
    static func children(_ tail: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<Child> {
        let raw = UnsafeMutableRawPointer(tail)
        return (MemoryLayout<Child>.alignment > 8 ? raw.alignedUp(for: Child.self) : raw)
            .assumingMemoryBound(to: Child.self)
    }

    /// Room for `capacity` elements of type `Element`, in words, with what rounding up to its
    /// alignment may take.
    @inlinable
    static func words<Element>(for _: Element.Type, capacity: Int) -> Int {
        let slack = max(0, MemoryLayout<Element>.alignment - 8)
        return (capacity * MemoryLayout<Element>.stride + slack + 7) / 8
    }

    /// A leaf whose items the caller initialises at once: all `count` of them.
    @inlinable
    static func leaf(
        count: Int,
        capacity: Int,
        initialize: (UnsafeMutablePointer<Item>) -> Void
    ) -> TreeNode {
        let new = create(minimumCapacity: words(for: Item.self, capacity: capacity)) { _ in
            TreeHeader(weight: count, capacity: capacity, childCount: 0, mark: 0)
        }
        new.withUnsafeMutablePointerToElements { initialize(items($0)) }
        return unsafeDowncast(new, to: TreeNode.self)
    }

    /// A branch whose children the caller initialises at once: all `count` of them.
    @inlinable
    static func branch(
        count: Int,
        capacity: Int,
        weight: Int,
        mark: UInt16,
        initialize: (UnsafeMutablePointer<Child>) -> Void
    ) -> TreeNode {
        let new = create(minimumCapacity: words(for: Child.self, capacity: capacity)) { _ in
            TreeHeader(weight: weight, capacity: capacity, childCount: count, mark: mark)
        }
        new.withUnsafeMutablePointerToElements { initialize(children($0)) }
        return unsafeDowncast(new, to: TreeNode.self)
    }

    @inlinable
    func withItems<Result>(_ body: (UnsafeMutablePointer<Item>) -> Result) -> Result {
        withUnsafeMutablePointerToElements { body(Self.items($0)) }
    }

    @inlinable
    func withChildren<Result>(_ body: (UnsafeMutablePointer<Child>) -> Result) -> Result {
        withUnsafeMutablePointerToElements { body(Self.children($0)) }
    }

    /// A copy with room for `capacity` elements.
    @inlinable
    @inline(never)
    func copy(capacity: Int) -> TreeNode {
        let header = head
        if header.isLeaf {
            return .leaf(count: header.count, capacity: capacity) { target in
                withItems { copyElements($0, header.count, to: target) }
            }
        }
        return .branch(
            count: header.count,
            capacity: capacity,
            weight: header.weight,
            mark: header.mark
        ) { target in
            withChildren { copyElements($0, header.count, to: target) }
        }
    }

    /// A loop where `initialize(from:count:)` would ask the runtime to copy each element by its
    /// type's witness.
    @inlinable
    func copyElements<Element>(
        _ source: UnsafeMutablePointer<Element>,
        _ count: Int,
        to target: UnsafeMutablePointer<Element>
    ) {
        for position in 0..<count {
            (target + position).initialize(to: source[position])
        }
    }

    /// Before a write: replaces a block that is shared by a copy.
    @inlinable
    static func makeUnique(_ node: inout TreeNode) {
        if !isKnownUniquelyReferenced(&node) {
            node = node.copy(capacity: Int(node.head.capacity))
        }
    }

    /// Puts an item into a leaf, moving those behind it.
    @inlinable
    static func insertItem(_ item: Item, at position: Int, into node: inout TreeNode) {
        let count = node.head.count
        if isKnownUniquelyReferenced(&node), count < Int(node.head.capacity) {
            node.withItems { items in
                (items + position + 1).moveInitialize(
                    from: items + position,
                    count: count - position
                )
                (items + position).initialize(to: item)
            }
            node.head.weight = count + 1
            return
        }
        let old = node
        node = .leaf(count: count + 1, capacity: roomy(count + 1)) { target in
            old.withItems { source in
                target.initialize(from: source, count: position)
                (target + position).initialize(to: item)
                (target + position + 1)
                    .initialize(from: source + position, count: count - position)
            }
        }
    }

    /// Takes an item out of a leaf, moving those behind it.
    @inlinable
    static func removeItem(at position: Int, from node: inout TreeNode) {
        let count = node.head.count
        if isKnownUniquelyReferenced(&node) {
            node.withItems { items in
                (items + position).deinitialize(count: 1)
                (items + position)
                    .moveInitialize(from: items + position + 1, count: count - position - 1)
            }
            node.head.weight = count - 1
            return
        }
        let old = node
        node = .leaf(count: count - 1, capacity: roomy(count - 1)) { target in
            old.withItems { source in
                target.initialize(from: source, count: position)
                (target + position)
                    .initialize(from: source + position + 1, count: count - position - 1)
            }
        }
    }

    /// Puts a child into a branch, moving those behind it.
    @inlinable
    static func insertChild(_ child: Child, at slot: Int, into node: inout TreeNode) {
        let header = node.head
        if !isKnownUniquelyReferenced(&node) || header.count == Int(header.capacity) {
            node = node.copy(capacity: roomy(header.count + 1))
        }
        node.withChildren { children in
            (children + slot + 1)
                .moveInitialize(from: children + slot, count: header.count - slot)
            (children + slot).initialize(to: child)
        }
        node.head.childCount += 1
    }

    /// Takes a child out of a branch, moving those behind it.
    @inlinable
    static func removeChild(at slot: Int, from node: inout TreeNode) {
        makeUnique(&node)
        let count = node.head.count
        node.withChildren { children in
            (children + slot).deinitialize(count: 1)
            (children + slot)
                .moveInitialize(from: children + slot + 1, count: count - slot - 1)
        }
        node.head.childCount -= 1
    }

    /// A capacity that lets most insertions in place do without a new block.
    @inlinable
    static func roomy(_ count: Int) -> Int {
        (count + 3) & ~3
    }
}
