public import OutboxCore
import StoreCore
public import SyncCore

/// Everything that a person sees of synced records, at one moment. A copy costs nothing.
public struct SyncSnapshot: Sendable {
    typealias Table = EntityTable<ShownRecord, KindIndex>

    let table: Table
    /// The refused changes, which wait for a person, in the order in which their records got their first
    /// change. They are stored: after a restart they are here again.
    public let refused: [SyncEntry]
    /// The values of this device that gave way to another device's, as the policy says, and that a person
    /// has not been shown: until ``SyncedRecords/acknowledge(_:)``. They are stored likewise.
    public let overruled: [OverruledChange]
    /// The server's time at the last complete pull; `nil` before the first.
    public let lastPulled: WallTime?

    /// The record of a name; `nil` if there is none, or its deletion is pending. A record that got the
    /// server's identifier is found under that: see ``SyncedRecords/name(of:)``.
    ///
    /// - Complexity: O(log *n*) for *n* records.
    public subscript(key: RecordKey) -> ShownRecord? { table[EntityID(key)] }

    /// The records of a kind, in an order of no meaning, which stays the same while identifiers do.
    ///
    /// - Complexity: O(*a*) for *a* records in the answer.
    public func records(of kind: [UInt8]) -> [ShownRecord] {
        guard let records = table.indexes.byKind[KindIndex.hash(kind)] else { return [] }
        return records.filter { $0.key.kind == kind }
    }

    /// The records of a kind, from a text in UTF-8.
    public func records(of kind: String) -> [ShownRecord] { records(of: Array(kind.utf8)) }

    /// The number of records of all kinds.
    public var count: Int { table.count }
}

/// Values of this device that gave way to another device's change, as the `ConflictPolicy` says.
public struct OverruledChange: Hashable, Sendable {
    /// The number by which ``SyncedRecords/acknowledge(_:)`` knows it; it only grows.
    public let number: Int64
    /// The record.
    public let key: RecordKey
    /// The values; empty for a deletion that gave way.
    public let values: [Field]
    /// The wall-clock time at which this device learned of it.
    public let at: WallTime
}

/// The records of each kind, by the hash of the kind. Two kinds may have one hash.
struct KindIndex: EntityIndexes, Sendable {
    typealias Records = EntityTable<ShownRecord, NoIndexes<ShownRecord>>

    private(set) var byKind: [UInt64: Records] = [:]

    mutating func update(_ change: EntityChange<ShownRecord>) {
        if let record = change.new {
            byKind[Self.hash(record.key.kind), default: Records()].insert(record)
        } else if let record = change.old {
            byKind[Self.hash(record.key.kind)]?.remove(record.id)
        }
    }

    /// FNV-1a.
    static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
