extension OrderedTree {
    /// Moves an entity to its new key; a `nil` key stands for an entity outside the tree.
    @inlinable
    @inline(never)
    mutating func move(_ id: EntityID<E>, from old: Key?, to new: Key?) {
        if let old, let new, old == new { return }
        if let old { remove(Entry(key: old, id: id)) }
        if let new { insert(Entry(key: new, id: id)) }
    }

    /// Adds an entry that is not in the tree.
    @inlinable
    mutating func insert(_ entry: Entry) {
        if root == nil {
            root = .leaf(count: 1, capacity: 1) { $0.initialize(to: entry) }
            return
        }
        guard let sibling = Self.insert(entry, in: &root!) else { return }
        let left = root!
        root = Self.branch(
            height: left.head.mark + 1,
            weight: left.head.weight + sibling.head.weight,
            count: 2
        ) {
            $0.initialize(to: Self.child(left))
            ($0 + 1).initialize(to: Self.child(sibling))
        }
    }

    /// Removes an entry of the tree.
    @inlinable
    mutating func remove(_ entry: Entry) {
        if count <= 1 {
            Self.requireAgreement(count == 1 && self.entry(at: 0) == entry)
            root = nil
            return
        }
        Self.remove(entry, from: &root!)
        while root!.head.mark != 0, root!.head.count == 1 {
            root = root!.withChildren { $0[0].node }
        }
    }

    @inlinable
    static func requireAgreement(_ agrees: Bool) {
        precondition(
            agrees,
            "The index disagrees with its table: a key must depend on the entity alone."
        )
    }

    /// - Returns: A block to be put behind this one, if the entry did not fit.
    @inlinable
    static func insert(_ entry: Entry, in node: inout Node) -> Node? {
        let header = node.head
        if header.isLeaf {
            let position = node.withItems { items in
                partition(header.count) { items[$0] < entry }
            }
            if header.count < leafCapacity {
                Node.insertItem(entry, at: position, into: &node)
                return nil
            }
            return splitLeaf(&node, inserting: entry, at: position)
        }
        Node.makeUnique(&node)
        let (slot, sibling) = node.withChildren { children -> (Int, Node?) in
            let slot = childSlot(header.count) { children[$0].label.first < entry }
            let sibling = insert(entry, in: &children[slot].node)
            children[slot].label = label(of: children[slot].node)
            return (slot, sibling)
        }
        node.head.weight &+= 1
        guard let sibling else { return nil }
        if header.count < branchCapacity {
            Node.insertChild(child(sibling), at: slot + 1, into: &node)
            return nil
        }
        return splitBranch(&node, inserting: child(sibling), at: slot + 1)
    }

    /// Where entries come in ascending or descending order the full leaf stays as it is, so that
    /// leaves get full.
    @inlinable
    static func splitLeaf(_ node: inout Node, inserting entry: Entry, at position: Int) -> Node {
        let count = node.head.count
        if position == count {
            return .leaf(count: 1, capacity: 1) { $0.initialize(to: entry) }
        }
        if position == 0 {
            let sibling = node
            node = .leaf(count: 1, capacity: 1) { $0.initialize(to: entry) }
            return sibling
        }
        let old = node
        let kept = count / 2
        node = part(of: old, 0..<kept)
        var sibling = part(of: old, kept..<count)
        if position <= kept {
            Node.insertItem(entry, at: position, into: &node)
        } else {
            Node.insertItem(entry, at: position - kept, into: &sibling)
        }
        return sibling
    }

    @inlinable
    static func part(of leaf: Node, _ range: Range<Int>) -> Node {
        .leaf(count: range.count, capacity: Node.roomy(range.count + 1)) { target in
            leaf.withItems { target.initialize(from: $0 + range.lowerBound, count: range.count) }
        }
    }

    /// Splits a full branch in two. Its own block, which is not shared, keeps the first part.
    @inlinable
    static func splitBranch(
        _ node: inout Node,
        inserting child: Node.Child,
        at slot: Int
    ) -> Node {
        let count = node.head.count
        let kept = slot == count ? count : count / 2
        var weight = child.label.weight
        var sibling = node.withChildren { children in
            for moved in kept..<count { weight &+= children[moved].label.weight }
            return branch(height: node.head.mark, weight: weight, count: count - kept) {
                $0.moveInitialize(from: children + kept, count: count - kept)
            }
        }
        node.head.childCount = UInt16(truncatingIfNeeded: kept)
        node.head.weight &-= weight
        if slot >= kept {
            Node.insertChild(child, at: slot - kept, into: &sibling)
        } else {
            Node.insertChild(child, at: slot, into: &node)
            node.head.weight &+= child.label.weight
            sibling.head.weight &-= child.label.weight
        }
        return sibling
    }

    @inlinable
    static func remove(_ entry: Entry, from node: inout Node) {
        let header = node.head
        if header.isLeaf {
            let position = node.withItems { items in
                partition(header.count) { items[$0] < entry }
            }
            requireAgreement(
                position < header.count && node.withItems { $0[position] } == entry
            )
            Node.removeItem(at: position, from: &node)
            return
        }
        Node.makeUnique(&node)
        let slot = node.withChildren { children -> Int in
            let slot = childSlot(header.count) { !(entry < children[$0].label.first) }
            if children[slot].label.weight > 1 {
                remove(entry, from: &children[slot].node)
                children[slot].label = label(of: children[slot].node)
            } else {
                children[slot].label.weight = 0
            }
            return slot
        }
        node.head.weight &-= 1
        mergeIfSparse(slot, of: &node)
    }
}

// MARK: - Merging

extension OrderedTree {
    /// Drops an empty child, or joins one that is less than a third full with a neighbour, where
    /// both fit.
    @inlinable
    static func mergeIfSparse(_ slot: Int, of node: inout Node) {
        let count = node.head.count
        let (isEmpty, left) = node.withChildren { children -> (Bool, Int?) in
            if children[slot].label.weight == 0 { return (true, nil) }
            let header = children[slot].node.head
            let capacity = header.isLeaf ? leafCapacity : branchCapacity
            if header.count >= capacity / 3 { return (false, nil) }
            if slot + 1 < count,
                header.count + children[slot + 1].node.head.count <= capacity
            {
                return (false, slot)
            }
            if slot > 0, header.count + children[slot - 1].node.head.count <= capacity {
                return (false, slot - 1)
            }
            return (false, nil)
        }
        if isEmpty {
            Node.removeChild(at: slot, from: &node)
        } else if let left {
            node.withChildren { children in
                children[left] = child(joined(children[left].node, children[left + 1].node))
            }
            Node.removeChild(at: left + 1, from: &node)
        }
    }

    @inlinable
    static func joined(_ left: Node, _ right: Node) -> Node {
        let leftCount = left.head.count
        let count = leftCount + right.head.count
        if left.head.isLeaf {
            return .leaf(count: count, capacity: Node.roomy(count)) { target in
                left.withItems { target.initialize(from: $0, count: leftCount) }
                right.withItems {
                    (target + leftCount).initialize(from: $0, count: count - leftCount)
                }
            }
        }
        return branch(
            height: left.head.mark,
            weight: left.head.weight + right.head.weight,
            count: count
        ) { target in
            left.withChildren { target.initialize(from: $0, count: leftCount) }
            right.withChildren {
                (target + leftCount).initialize(from: $0, count: count - leftCount)
            }
        }
    }

    @inlinable
    static func branch(
        height: UInt16,
        weight: Int,
        count: Int,
        initialize: (UnsafeMutablePointer<Node.Child>) -> Void
    ) -> Node {
        .branch(
            count: count,
            capacity: branchCapacity,
            weight: weight,
            mark: height,
            initialize: initialize
        )
    }

    @inlinable
    static func child(_ node: Node) -> Node.Child {
        TreeChild(node: node, label: label(of: node))
    }

    @inlinable
    static func label(of node: Node) -> OrderedLabel<Entry> {
        let header = node.head
        return OrderedLabel(
            first: header.isLeaf
                ? node.withItems { $0[0] } : node.withChildren { $0[0].label.first },
            weight: header.weight
        )
    }
}
