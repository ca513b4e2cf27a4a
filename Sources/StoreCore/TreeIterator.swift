/// Goes through the items of a tree, leaf by leaf, from a position on.
@usableFromInline
struct TreeIterator<Item, Label> {
    @usableFromInline typealias Node = TreeNode<Item, Label>

    /// Keeps the blocks alive and unchanged that `path` and `leaf` point at.
    @usableFromInline let root: Node?
    /// Branches from the root down, each with the next of its children.
    @usableFromInline var path: [(node: Unmanaged<Node>, next: Int)] = []
    @usableFromInline var leaf: Unmanaged<Node>?
    @usableFromInline var position = 0
    /// The number of items left.
    @usableFromInline var remaining: Int

    /// - Precondition: `range` lies within the tree.
    @inlinable
    init(_ root: Node?, _ range: Range<Int>) {
        self.root = root
        remaining = range.count
        if let root, remaining > 0 {
            descend(to: Unmanaged.passUnretained(root), skipping: range.lowerBound)
        }
    }

    @inlinable
    mutating func next() -> Item? {
        if remaining == 0 { return nil }
        return withExtendedLifetime(root) {
            guard let first = leaf else { return nil }
            var current = first
            if position == current._withUnsafeGuaranteedRef({ $0.head.count }) {
                current = advance() ?? current
            }
            let item = current._withUnsafeGuaranteedRef { node in
                node.withItems { $0[position] }
            }
            position &+= 1
            remaining &-= 1
            return item
        }
    }

    /// Goes on to the next leaf.
    @inlinable
    @inline(never)
    mutating func advance() -> Unmanaged<Node>? {
        while let (node, slot) = path.last {
            if slot == node._withUnsafeGuaranteedRef({ $0.head.count }) {
                path.removeLast()
            } else {
                path[path.count - 1].next += 1
                descend(to: Self.child(slot, of: node), skipping: 0)
                return leaf
            }
        }
        return nil
    }

    /// Goes down to the leaf of a position in a subtree.
    @inlinable
    @inline(never)
    mutating func descend(to top: Unmanaged<Node>, skipping skipped: Int) {
        var node = top
        var rest = skipped
        while !node._withUnsafeGuaranteedRef({ $0.head.isLeaf }) {
            var slot = 0
            var child = Self.child(0, of: node)
            while true {
                let weight = child._withUnsafeGuaranteedRef { $0.head.weight }
                if rest < weight { break }
                rest &-= weight
                slot &+= 1
                child = Self.child(slot, of: node)
            }
            path.append((node, slot &+ 1))
            node = child
        }
        leaf = node
        position = rest
    }

    @inlinable
    static func child(_ slot: Int, of node: Unmanaged<Node>) -> Unmanaged<Node> {
        node._withUnsafeGuaranteedRef { node in
            node.withChildren { Unmanaged.passUnretained($0[slot].node) }
        }
    }
}
