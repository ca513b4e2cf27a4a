// A print shows what a value means, not how a tree keeps it. Embedded Swift prints no values.
#if !hasFeature(Embedded)
    extension EntityID: CustomStringConvertible {
        /// The app's own identifier, as it prints itself.
        public var description: String { String(describing: rawValue) }
    }

    extension EntityTable: CustomStringConvertible {
        /// The entities, as an array prints them. Their order is unspecified.
        public var description: String { Array(self).description }
    }

    extension OrderedIndex: CustomStringConvertible {
        /// The identifiers in order, as an array prints them.
        public var description: String { Array(self).description }
    }

    extension IndexSlice: CustomStringConvertible {
        /// The identifiers in order, as an array prints them.
        public var description: String { Array(self).description }
    }

    extension GroupedIndex: CustomStringConvertible {
        /// The groups in order with their identifiers, as a dictionary prints them.
        public var description: String {
            let groups = groups.map { "\($0): \(self[$0])" }
            return groups.isEmpty ? "[:]" : "[\(groups.joined(separator: ", "))]"
        }
    }

    extension CommitOrigin: CustomStringConvertible {
        /// The commit's name and its line: `take(_:) at Kitchen/KitchenStore.swift:9`.
        public var description: String { "\(name) at \(file):\(line)" }
    }

    extension Changes: CustomStringConvertible {
        /// The commit's number and its origin. The states are left out: a state may be large.
        public var description: String { "commit \(version), \(origin)" }
    }
#endif
