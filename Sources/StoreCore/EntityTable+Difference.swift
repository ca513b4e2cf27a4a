extension EntityTable {
    /// Calls `body` with each change between an older snapshot and this table: one change for each
    /// entity that was inserted, removed or updated.
    ///
    /// A table records nothing for it. Blocks that both tables share are not visited, so the cost
    /// of comparing two snapshots of one table, however far apart, grows with their differences.
    /// Two tables built separately are compared entity by entity.
    ///
    /// The order of the changes is unspecified.
    ///
    /// - Complexity: O(*d* log n) for *d* changes since the snapshots were equal; at most O(n).
    @inlinable
    public func changes(since old: Self, _ body: (EntityChange<E>) -> Void) {
        EntityTrie.difference(from: old.root, to: root, body)
    }
}

extension EntityTable: Equatable {
    /// Whether both tables have equal entities. The indexes follow from the entities.
    ///
    /// - Complexity: O(*d* log n) for *d* changes since the snapshots were equal. The comparison
    ///   ends at the first difference.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.root, right.root) {
        case (nil, nil): true
        case (let left?, let right?): EntityTrie.areEqual(left, right)
        default: false
        }
    }
}

extension EntityTrie {
    /// The difference of two subtrees; `nil` stands for a subtree that its snapshot does not have.
    @inlinable
    @inline(never)
    static func difference(from old: Node?, to new: Node?, _ body: (EntityChange<E>) -> Void) {
        if old === new { return }
        switch (old, new) {
        case (let old?, let new?):
            switch (old.head.isLeaf, new.head.isLeaf) {
            case (true, true): leafDifference(from: old, to: new, body)
            case (false, false): branchDifference(from: old, to: new, body)
            case (let isOld, _):
                mixedDifference(
                    leaf: isOld ? old : new,
                    branch: isOld ? new : old,
                    leafIsOld: isOld,
                    body
                )
            }
        case (let only?, nil), (nil, let only?):
            var entities = TreeIterator(only, 0..<only.head.weight)
            while let entity = entities.next() {
                body(old == nil ? .inserted(entity) : .removed(entity))
            }
        case (nil, nil):
            break
        }
    }

    /// A merge: both leaves are in the order of identifiers.
    @inlinable
    static func leafDifference(from old: Node, to new: Node, _ body: (EntityChange<E>) -> Void) {
        let oldCount = old.head.count
        let newCount = new.head.count
        old.withItems { oldItems in
            new.withItems { newItems in
                var i = 0
                var j = 0
                while i < oldCount, j < newCount {
                    let oldID = oldItems[i].id
                    let newID = newItems[j].id
                    if oldID == newID {
                        if oldItems[i] != newItems[j] {
                            body(EntityChange(old: oldItems[i], new: newItems[j]))
                        }
                        i += 1
                        j += 1
                    } else if oldID < newID {
                        body(EntityChange(old: oldItems[i], new: nil))
                        i += 1
                    } else {
                        body(EntityChange(old: nil, new: newItems[j]))
                        j += 1
                    }
                }
                while i < oldCount {
                    body(EntityChange(old: oldItems[i], new: nil))
                    i += 1
                }
                while j < newCount {
                    body(EntityChange(old: nil, new: newItems[j]))
                    j += 1
                }
            }
        }
    }

    @inlinable
    static func branchDifference(from old: Node, to new: Node, _ body: (EntityChange<E>) -> Void) {
        let oldMark = old.head.mark
        let newMark = new.head.mark
        old.withChildren { oldChildren in
            new.withChildren { newChildren in
                var rest = oldMark | newMark
                var i = 0
                var j = 0
                while rest != 0 {
                    let bit = rest & (~rest &+ 1)
                    rest ^= bit
                    let isInOld = oldMark & bit != 0
                    let isInNew = newMark & bit != 0
                    // Asked here too: a call for each shared child would count references.
                    if !isInOld || !isInNew || oldChildren[i].node !== newChildren[j].node {
                        difference(
                            from: isInOld ? oldChildren[i].node : nil,
                            to: isInNew ? newChildren[j].node : nil,
                            body
                        )
                    }
                    if isInOld { i += 1 }
                    if isInNew { j += 1 }
                }
            }
        }
    }

    /// The difference between a leaf and the branch that replaces it in the other snapshot. All but a
    /// leaf's capacity of the branch's entities are changes, so that visiting each entity costs no
    /// more than reporting the changes.
    @inlinable
    static func mixedDifference(
        leaf: Node,
        branch: Node,
        leafIsOld: Bool,
        _ body: (EntityChange<E>) -> Void
    ) {
        let count = leaf.head.count
        leaf.withItems { items in
            var found: UInt = 0
            var others = TreeIterator(branch, 0..<branch.head.weight)
            while let other = others.next() {
                let (position, isFound) = search(for: other.id, in: items, count: count)
                if !isFound {
                    body(leafIsOld ? .inserted(other) : .removed(other))
                    continue
                }
                found |= 1 &<< UInt(truncatingIfNeeded: position)
                let item = items[position]
                if item != other {
                    body(EntityChange(old: leafIsOld ? item : other, new: leafIsOld ? other : item))
                }
            }
            for position in 0..<count where found & (1 &<< UInt(truncatingIfNeeded: position)) == 0
            {
                body(leafIsOld ? .removed(items[position]) : .inserted(items[position]))
            }
        }
    }

    /// The shape follows from the content, so that another shape is another content.
    @inlinable
    static func areEqual(_ left: Node, _ right: Node) -> Bool {
        if left === right { return true }
        let header = left.head
        if header.weight != right.head.weight || header.mark != right.head.mark { return false }
        if header.isLeaf {
            return left.withItems { left in
                right.withItems { right in
                    (0..<header.count).allSatisfy { left[$0] == right[$0] }
                }
            }
        }
        return left.withChildren { left in
            right.withChildren { right in
                (0..<header.count).allSatisfy { areEqual(left[$0].node, right[$0].node) }
            }
        }
    }
}
