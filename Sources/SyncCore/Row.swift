/// The name of a record: its kind and its identifier, both opaque bytes.
public struct RecordKey: Hashable, Comparable, Sendable {
    /// The kind of the record, such as `memo`. A kind of a newer build is kept and not understood.
    public let kind: [UInt8]
    /// The identifier: the server's, or a temporary one until the server has given its own.
    public let id: [UInt8]

    /// Makes the name of a record.
    public init(kind: [UInt8], id: [UInt8]) {
        self.kind = kind
        self.id = id
    }

    public static func < (left: Self, right: Self) -> Bool {
        if left.kind != right.kind { return left.kind.lexicographicallyPrecedes(right.kind) }
        return left.id.lexicographicallyPrecedes(right.id)
    }

    /// FNV-1a over the identifier. A server that makes identifiers collide slows its own devices.
    var spread: UInt {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return UInt(truncatingIfNeeded: hash ^ hash >> 32)
    }
}

/// A value to write into a field of a record.
public struct FieldValue: Hashable, Sendable {
    /// The name of the field.
    public let name: [UInt8]
    /// The value, opaque bytes.
    public let value: [UInt8]

    /// Makes a value for the field of this name.
    public init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// A field of a record with the stamp of the change that wrote it.
public struct Field: Hashable, Sendable {
    /// The name of the field.
    public let name: [UInt8]
    /// The value, opaque bytes.
    public internal(set) var value: [UInt8]
    /// The stamp of the change that wrote the value.
    public internal(set) var stamp: Stamp

    /// Makes a field.
    public init(name: [UInt8], value: [UInt8], stamp: Stamp) {
        self.name = name
        self.value = value
        self.stamp = stamp
    }
}

/// A record as the server holds it.
public struct Row: Hashable, Sendable {
    /// The name of the record, never a temporary one.
    public let key: RecordKey
    /// The number of the row's last change. It only grows, also over a deletion, a restored backup of
    /// the server, and a new creation under the same name; the server never gives it twice. At least 1.
    public let version: UInt64
    /// The fields in the order of their names, each name once; empty in a tombstone. Fields that this
    /// build does not know are kept as they are.
    public internal(set) var fields: [Field]
    /// The stamp of the deletion, in a tombstone; `nil` for a record that exists.
    public let deletion: Stamp?
    /// The temporary identifier of the change that created the record; empty if there was none. By it
    /// a device recognises its own creation whose answer was lost.
    public let createdAs: [UInt8]

    /// Makes a row. The fields are put into the order of their names.
    public init(
        key: RecordKey,
        version: UInt64,
        fields: [Field],
        deletion: Stamp? = nil,
        createdAs: [UInt8] = []
    ) {
        self.key = key
        self.version = version
        // By insertion: a row has few fields, and mostly in order.
        var ordered: [Field] = []
        ordered.reserveCapacity(fields.count)
        for field in fields {
            let isLast = ordered.last.map { $0.name.lexicographicallyPrecedes(field.name) } ?? true
            if isLast { ordered.append(field) } else { ordered.write(field) }
        }
        self.fields = ordered
        self.deletion = deletion
        self.createdAs = createdAs
    }
}

extension [Field] {
    /// The field of a name; `nil` if there is none.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public subscript(name: [UInt8]) -> Field? {
        for field in self where field.name == name { return field }
        return nil
    }

    /// Writes a field, keeping the order of the names.
    mutating func write(_ field: Field) {
        var position = 0
        while position < count {
            if self[position].name == field.name {
                self[position] = field
                return
            }
            if field.name.lexicographicallyPrecedes(self[position].name) { break }
            position += 1
        }
        insert(field, at: position)
    }

    /// These fields with others written over them.
    func overlaid(by others: [Field]) -> [Field] {
        if isEmpty { return others }
        var fields = self
        for field in others { fields.write(field) }
        return fields
    }

    /// The names and values.
    var values: [FieldValue] { map { FieldValue(name: $0.name, value: $0.value) } }
}
