extension EntityTable {
    /// The indexes made anew from the entities.
    ///
    /// For a test: whatever was done to a table, its indexes equal these.
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
    /// An index of which it can be seen whether it ever was told of a change.
    @usableFromInline
    protocol MaintainedIndex {
        var isMaintained: Bool { get }
    }

    extension OrderedIndex: MaintainedIndex {}
    extension GroupedIndex: MaintainedIndex {}

    extension EntityIndexes {
        /// Whether `update(_:)` told each index of the change; stops with the name of one that it
        /// forgot.
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
