// The hash trie under EntityTable.
//
// Invariants
// 1. A subtree of at most `leafCapacity` entities is one leaf; a larger one is a branch, unless the
//    bits of the hash are used up. So the shape follows from the content alone, whatever its
//    history.
// 2. The entities of a leaf are in the order of their identifiers.
// 3. A branch has no empty child. Its children are in the order of the next bits of the hash, and
//    `mark` has one bit for each.

@usableFromInline
struct NoLabel {
    @inlinable
    init() {}
}

@usableFromInline typealias EntityNode<E: Entity> = TreeNode<E, NoLabel>

/// The operations on subtrees. `shift` is the number of bits of the hash that the path to the
/// subtree uses up.
@usableFromInline
enum EntityTrie<E: Entity> {
    @usableFromInline typealias Node = EntityNode<E>

    /// Eight children a branch: the copy of a path costs a reference count for each, most of them
    /// not in the cache.
    @inlinable static var bitsPerLevel: UInt { 3 }
    @inlinable static var leafCapacity: Int { 8 }

    @inlinable
    static func hash(of id: EntityID<E>) -> UInt {
        E.spread(id.rawValue)
    }

    @inlinable
    static func bit(of hash: UInt, at shift: UInt) -> UInt16 {
        1 &<< UInt16(truncatingIfNeeded: (hash &>> shift) & (1 &<< bitsPerLevel &- 1))
    }

    @inlinable
    static func isLeaf(weight: Int, shift: UInt) -> Bool {
        weight <= leafCapacity || shift >= UInt(UInt.bitWidth)
    }

    /// The slot of a bit's child among the children of a branch, or the slot for inserting it.
    @inlinable
    static func slot(of bit: UInt16, in mark: UInt16) -> Int {
        (mark & (bit &- 1)).nonzeroBitCount
    }

    /// The position of an identifier in a leaf; `found` is false where it would have to be
    /// inserted.
    @inlinable
    static func search(
        for id: EntityID<E>,
        in items: UnsafeMutablePointer<E>,
        count: Int
    ) -> (position: Int, found: Bool) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            let other = items[middle].id
            if other == id { return (middle, true) }
            if other < id { low = middle &+ 1 } else { high = middle }
        }
        return (low, false)
    }
}

// MARK: - Whole trees

// The operations of a table, without its indexes: a generic caller that knows the entities and not the
// indexes gets code for its entities. Not inlined: each caller would get a copy of its own, and a
// program for the web all of them.
extension EntityTrie {
    @inlinable
    @inline(never)
    static func find(_ id: EntityID<E>, hash: UInt, in root: Node?) -> E? {
        guard let root else { return nil }
        return find(id, hash: hash, under: root)
    }

    /// Inserts an entity, or replaces the one with its identifier unless both are equal.
    @inlinable
    @inline(never)
    static func put(_ new: E, in root: inout Node?) -> (old: E?, isChanged: Bool) {
        let id = new.id
        let hash = hash(of: id)
        if let old = find(id, hash: hash, in: root) {
            if old == new { return (old, false) }
            replace(with: new, id: id, hash: hash, in: &root)
            return (old, true)
        }
        if root == nil {
            root = .leaf(count: 1, capacity: 1) { $0.initialize(to: new) }
        } else {
            insert(new, id: id, hash: hash, shift: 0, in: &root!)
        }
        return (nil, true)
    }

    @inlinable
    @inline(never)
    static func replace(with new: E, id: EntityID<E>, hash: UInt, in root: inout Node?) {
        replace(with: new, id: id, hash: hash, shift: 0, in: &root!)
    }

    /// Removes the entity with an identifier.
    @inlinable
    @inline(never)
    static func take(_ id: EntityID<E>, from root: inout Node?) -> E? {
        let hash = hash(of: id)
        guard let old = find(id, hash: hash, in: root) else { return nil }
        if root!.head.weight == 1 {
            root = nil
        } else {
            remove(id, hash: hash, shift: 0, from: &root!)
        }
        return old
    }
}

// MARK: - Reading

extension EntityTrie {
    @inlinable
    static func find(_ id: EntityID<E>, hash: UInt, under root: Node) -> E? {
        withExtendedLifetime(root) {
            var current = Unmanaged.passUnretained(root)
            var shift: UInt = 0
            while true {
                let header = current._withUnsafeGuaranteedRef { $0.head }
                if header.isLeaf {
                    return current._withUnsafeGuaranteedRef { node in
                        node.withItems { items in
                            let (position, found) = search(for: id, in: items, count: header.count)
                            return found ? items[position] : nil
                        }
                    }
                }
                let bit = bit(of: hash, at: shift)
                if header.mark & bit == 0 { return nil }
                let slot = slot(of: bit, in: header.mark)
                current = current._withUnsafeGuaranteedRef { node in
                    node.withChildren { Unmanaged.passUnretained($0[slot].node) }
                }
                shift &+= bitsPerLevel
            }
        }
    }
}

// MARK: - Writing

extension EntityTrie {
    /// Replaces an entity that is in the subtree by a new value.
    @inlinable
    static func replace(with new: E, id: EntityID<E>, hash: UInt, shift: UInt, in node: inout Node)
    {
        Node.makeUnique(&node)
        let header = node.head
        if header.isLeaf {
            node.withItems { items in
                let (position, found) = search(for: id, in: items, count: header.count)
                precondition(found, "The identifier of an entity is a constant.")
                items[position] = new
            }
            return
        }
        let slot = slot(of: bit(of: hash, at: shift), in: header.mark)
        node.withChildren { children in
            replace(
                with: new,
                id: id,
                hash: hash,
                shift: shift &+ bitsPerLevel,
                in: &children[slot].node
            )
        }
    }

    /// Adds an entity that is not in the subtree.
    @inlinable
    static func insert(_ new: E, id: EntityID<E>, hash: UInt, shift: UInt, in node: inout Node) {
        let header = node.head
        if header.isLeaf {
            let position = node.withItems { search(for: id, in: $0, count: header.count).position }
            Node.insertItem(new, at: position, into: &node)
            if !isLeaf(weight: header.count + 1, shift: shift) {
                node = node.withItems { branch(of: $0, count: header.count + 1, shift: shift) }
            }
            return
        }
        insertBelow(new, id: id, hash: hash, shift: shift, in: &node)
    }

    /// Adds an entity to a branch that does not have it.
    @inlinable
    @inline(never)
    static func insertBelow(
        _ new: E,
        id: EntityID<E>,
        hash: UInt,
        shift: UInt,
        in node: inout Node
    ) {
        let mark = node.head.mark
        let bit = bit(of: hash, at: shift)
        let slot = slot(of: bit, in: mark)
        if mark & bit == 0 {
            let leaf = Node.leaf(count: 1, capacity: 1) { $0.initialize(to: new) }
            Node.insertChild(TreeChild(node: leaf, label: NoLabel()), at: slot, into: &node)
            node.head.mark |= bit
        } else {
            Node.makeUnique(&node)
            node.withChildren { children in
                insert(
                    new,
                    id: id,
                    hash: hash,
                    shift: shift &+ bitsPerLevel,
                    in: &children[slot].node
                )
            }
        }
        node.head.weight &+= 1
    }

    /// Removes an entity of the subtree, which must have others too.
    @inlinable
    static func remove(_ id: EntityID<E>, hash: UInt, shift: UInt, from node: inout Node) {
        let header = node.head
        if header.isLeaf {
            let position = node.withItems { search(for: id, in: $0, count: header.count).position }
            Node.removeItem(at: position, from: &node)
            return
        }
        if isLeaf(weight: header.weight - 1, shift: shift) {
            node = leaf(of: node, without: id)
            return
        }
        Node.makeUnique(&node)
        let bit = bit(of: hash, at: shift)
        let slot = slot(of: bit, in: header.mark)
        let isEmpty = node.withChildren { children in
            if children[slot].node.head.weight == 1 { return true }
            remove(id, hash: hash, shift: shift &+ bitsPerLevel, from: &children[slot].node)
            return false
        }
        if isEmpty {
            Node.removeChild(at: slot, from: &node)
            node.head.mark &= ~bit
        }
        node.head.weight &-= 1
    }

    /// Distributes the entities of an overfull leaf over the children of a new branch.
    @inlinable
    static func branch(of items: UnsafeMutablePointer<E>, count: Int, shift: UInt) -> Node {
        var node = Node.branch(count: 0, capacity: 1 &<< Int(bitsPerLevel), weight: 0, mark: 0) {
            _ in
        }
        for position in 0..<count {
            let id = items[position].id
            insertBelow(items[position], id: id, hash: hash(of: id), shift: shift, in: &node)
        }
        return node
    }

    /// All entities below a branch but one, in a leaf.
    @inlinable
    static func leaf(of node: Node, without id: EntityID<E>) -> Node {
        let count = node.head.weight - 1
        return .leaf(count: count, capacity: count) { target in
            var filled = 0
            var entities = TreeIterator(node, 0..<node.head.weight)
            while let entity = entities.next() {
                let other = entity.id
                if other == id { continue }
                var position = filled
                while position > 0, other < target[position - 1].id {
                    position -= 1
                }
                (target + position + 1)
                    .moveInitialize(from: target + position, count: filled - position)
                (target + position).initialize(to: entity)
                filled += 1
            }
        }
    }
}
