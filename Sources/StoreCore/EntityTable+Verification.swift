extension EntityTable {
    /// New indexes, made from the entities alone.
    ///
    /// For a test: after any operations the indexes of a table equal these.
    ///
    /// - Complexity: O(n log n).
    @inlinable
    public func rebuiltIndexes() -> Indexes {
        var rebuilt = Indexes()
        for entity in self { rebuilt.update(EntityChange(old: nil, new: entity)) }
        return rebuilt
    }
}

#if hasFeature(Embedded)
    extension EntityIndexes {
        @inlinable
        var hasForgottenNone: Bool { true }
    }
#else
    /// An index that shows whether it has ever had a change.
    @usableFromInline
    protocol MaintainedIndex {
        var isMaintained: Bool { get }
    }

    extension OrderedIndex: MaintainedIndex {}
    extension GroupedIndex: MaintainedIndex {}

    extension EntityIndexes {
        /// Whether `update(_:)` passed the change on to each index. Stops the program with the name
        /// of an index that it forgot.
        @usableFromInline
        var hasForgottenNone: Bool {
            for (label, value) in Mirror(reflecting: self).children {
                if let index = value as? any MaintainedIndex, !index.isMaintained {
                    let name = label ?? "?"
                    preconditionFailure("\(Self.self).update(_:) forgets the index \(name).")
                }
                if let indexes = value as? any EntityIndexes, !indexes.hasForgottenNone {
                    return false
                }
            }
            return true
        }
    }
#endif
