extension OrderedTree {
    /// A subtree and the position in the whole tree of its first entry.
    @usableFromInline
    struct Subtree {
        @usableFromInline let node: Node
        @usableFromInline let start: Int

        @inlinable
        init(node: Node, start: Int) {
            self.node = node
            self.start = start
        }

        @inlinable var end: Int { start + node.head.weight }
        @inlinable var height: UInt16 { node.head.mark }
        @inlinable var first: Entry { OrderedTree.label(of: node).first }
    }

    /// The entries that are in `oldRange` of `old` only and those that are in `newRange` of `new`
    /// only, each with its position, in ascending order.
    ///
    /// The walk goes down both trees level by level and drops shared blocks: a shared block starts
    /// with the same entry in both trees, so that both levels meet it at the same time. A shared
    /// block that reaches out of its range on either side is entered, since the other side may show
    /// another part of it.
    @inlinable
    static func difference(
        from old: Self,
        _ oldRange: Range<Int>,
        to new: Self,
        _ newRange: Range<Int>,
        removed: (Int, Entry) -> Void,
        inserted: (Int, Entry) -> Void
    ) {
        var olds = old.top(oldRange)
        var news = new.top(newRange)
        while true {
            let oldHeight = olds.first?.height ?? 0
            let newHeight = news.first?.height ?? 0
            if oldHeight == newHeight {
                dropShared(&olds, oldRange, &news, newRange)
                if oldHeight == 0 { break }
            }
            if oldHeight >= newHeight { olds = children(of: olds, in: oldRange) }
            if newHeight >= oldHeight { news = children(of: news, in: newRange) }
        }
        var oldEntries = Entries(olds, oldRange)
        var newEntries = Entries(news, newRange)
        var oldEntry = oldEntries.next()
        var newEntry = newEntries.next()
        while true {
            switch (oldEntry, newEntry) {
            case (nil, nil):
                return
            case (let old?, let new?) where old.entry == new.entry:
                oldEntry = oldEntries.next()
                newEntry = newEntries.next()
            case (let old?, let new) where new.map { old.entry < $0.entry } ?? true:
                removed(old.position, old.entry)
                oldEntry = oldEntries.next()
            case (_, let new?):
                inserted(new.position, new.entry)
                newEntry = newEntries.next()
            case (_?, nil):
                preconditionFailure("An old entry without a new one is a removal.")
            }
        }
    }

    @inlinable
    func top(_ range: Range<Int>) -> [Subtree] {
        guard let root, !range.isEmpty else { return [] }
        return [Subtree(node: root, start: 0)]
    }

    /// The children of subtrees that have entries within the range.
    @inlinable
    static func children(of subtrees: [Subtree], in range: Range<Int>) -> [Subtree] {
        var result: [Subtree] = []
        for subtree in subtrees {
            var start = subtree.start
            subtree.node.withChildren { children in
                for slot in 0..<subtree.node.head.count {
                    let child = Subtree(node: children[slot].node, start: start)
                    start = child.end
                    if child.start < range.upperBound, child.end > range.lowerBound {
                        result.append(child)
                    }
                }
            }
        }
        return result
    }

    /// Drops the subtrees that are in both lists and wholly within both ranges.
    @inlinable
    static func dropShared(
        _ olds: inout [Subtree],
        _ oldRange: Range<Int>,
        _ news: inout [Subtree],
        _ newRange: Range<Int>
    ) {
        var keptOlds: [Subtree] = []
        var keptNews: [Subtree] = []
        var i = 0
        var j = 0
        while i < olds.count, j < news.count {
            let old = olds[i]
            let new = news[j]
            if old.node === new.node {
                if !isWithin(old, oldRange) || !isWithin(new, newRange) {
                    keptOlds.append(old)
                    keptNews.append(new)
                }
                i += 1
                j += 1
            } else if old.first < new.first {
                keptOlds.append(old)
                i += 1
            } else {
                keptNews.append(new)
                j += 1
            }
        }
        keptOlds.append(contentsOf: olds[i...])
        keptNews.append(contentsOf: news[j...])
        olds = keptOlds
        news = keptNews
    }

    @inlinable
    static func isWithin(_ subtree: Subtree, _ range: Range<Int>) -> Bool {
        subtree.start >= range.lowerBound && subtree.end <= range.upperBound
    }

    /// The entries of ascending leaves that lie within a range.
    @usableFromInline
    struct Entries {
        @usableFromInline let leaves: [Subtree]
        @usableFromInline let range: Range<Int>
        @usableFromInline var leaf = 0
        @usableFromInline var position = 0

        @inlinable
        init(_ leaves: [Subtree], _ range: Range<Int>) {
            self.leaves = leaves
            self.range = range
        }

        @inlinable
        mutating func next() -> (position: Int, entry: Entry)? {
            while leaf < leaves.count {
                let current = leaves[leaf]
                position = max(position, current.start, range.lowerBound)
                if position < min(current.end, range.upperBound) {
                    defer { position += 1 }
                    return current.node.withItems { (position, $0[position - current.start]) }
                }
                leaf += 1
            }
            return nil
        }
    }
}
