/// A collection of a repository's values: all of them, or those with one value of a declared index.
public struct CollectionName: Hashable, Sendable {
    /// The name of the index; `nil` for all values.
    public let index: String?
    /// The value of the index; empty for all values.
    public let value: String

    /// All values.
    public static let all = CollectionName(index: nil, value: "")

    /// The values for which a declared index has one value.
    public static func by(_ index: String, _ value: String) -> CollectionName {
        CollectionName(index: index, value: value)
    }

    private init(index: String?, value: String) {
        self.index = index
        self.value = value
    }

    var bytes: [UInt8] { index.map { Array($0.utf8) + [0] + Array(value.utf8) } ?? [] }
}

/// An index of a repository: a rule that gives each value its group.
public struct CollectionIndex<Value>: Sendable {
    /// The name of the index.
    public let name: String
    /// The group of a value; `nil` for a value in no group. Depends on its argument alone.
    public let group: @Sendable (Value) -> String?

    /// Declares an index.
    public init(_ name: String, group: @escaping @Sendable (Value) -> String?) {
        self.name = name
        self.group = group
    }
}

/// An item of a collection.
public struct RepositoryItem<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The key of the value.
    public let key: Key
    /// The value.
    public let value: Value
    /// Whether the server is still to be told of a change of the value.
    public let hasPendingChanges: Bool
}

extension RepositoryItem: Equatable where Value: Equatable {}

/// The stored form of a collection: the keys of its items, in the server's order.
enum Membership {
    static func encoded(_ keys: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = [1]
        for key in keys {
            withUnsafeBytes(of: UInt32(key.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: key)
        }
        return bytes
    }

    /// - Returns: `nil` for bytes of another form.
    static func keys(_ bytes: [UInt8]) -> [[UInt8]]? {
        guard bytes.first == 1 else { return nil }
        var keys: [[UInt8]] = []
        var rest = bytes[1...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count else { return nil }
            keys.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return keys
    }
}
