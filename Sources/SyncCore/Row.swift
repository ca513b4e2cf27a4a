// Keys, fields and rows are immutable objects: values in all but their layout. One reference is
// copied and released where a structure would need one for each of its arrays, and that is most of
// the size of a module for the web.

/// The name of a record: its kind and its identifier, both opaque bytes.
public final class RecordKey: Hashable, Comparable, Sendable {
    /// The kind of the record, such as `memo`. A kind of a newer build is kept and not understood.
    public let kind: [UInt8]
    /// The identifier: the server's, or a temporary one until the server has given its own.
    public let id: [UInt8]
    /// FNV-1a over the identifier. A server that makes identifiers collide slows its own devices.
    let spread: UInt

    /// Makes the name of a record.
    public init(kind: [UInt8], id: [UInt8]) {
        self.kind = kind
        self.id = id
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        spread = UInt(truncatingIfNeeded: hash ^ hash >> 32)
    }

    @inline(never)
    public static func == (left: RecordKey, right: RecordKey) -> Bool {
        left === right
            || left.spread == right.spread && areEqual(left.id, right.id)
                && areEqual(left.kind, right.kind)
    }

    @inline(never)
    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        areEqual(left.kind, right.kind)
            ? precedes(left.id, right.id) : precedes(left.kind, right.kind)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(id)
    }
}

/// Whether two strings of bytes are equal.
@inline(never)
func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { left == right }

/// Whether a string of bytes comes before another one.
@inline(never)
func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    var position = 0
    while position < left.count, position < right.count {
        if left[position] != right[position] { return left[position] < right[position] }
        position += 1
    }
    return left.count < right.count
}

/// A field of a record, with the stamp of the change that wrote it.
public final class Field: Hashable, Sendable {
    /// The name of the field.
    public let name: [UInt8]
    /// The value, opaque bytes.
    public let value: [UInt8]
    /// The stamp of the change that wrote the value; ``Stamp/zero`` in a value that is to be written.
    public let stamp: Stamp

    /// Makes a field; without a stamp, a value to write.
    public init(name: [UInt8], value: [UInt8], stamp: Stamp = .zero) {
        self.name = name
        self.value = value
        self.stamp = stamp
    }

    public static func == (left: Field, right: Field) -> Bool {
        left === right
            || areEqual(left.name, right.name) && areEqual(left.value, right.value)
                && left.stamp == right.stamp
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
        hasher.combine(stamp)
    }

    /// The field with another stamp.
    func stamped(_ stamp: Stamp) -> Field {
        self.stamp == stamp ? self : Field(name: name, value: value, stamp: stamp)
    }
}

/// A record as the server holds it.
public final class Row: Hashable, Sendable {
    /// The name of the record, never a temporary one.
    public let key: RecordKey
    /// The number of the row's last change. It only grows, also over a deletion, a restored backup of
    /// the server, and a new creation under the same name; the server never gives it twice. At least 1.
    public let version: UInt64
    /// The fields in the order of their names, each name once; empty in a tombstone. Fields that this
    /// build does not know are kept as they are.
    public let fields: [Field]
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
        self.fields = [].overlaid(by: fields)
        self.deletion = deletion
        self.createdAs = createdAs
    }

    public static func == (left: Row, right: Row) -> Bool {
        left === right
            || left.version == right.version && left.key == right.key
                && left.fields == right.fields && left.deletion == right.deletion
                && areEqual(left.createdAs, right.createdAs)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(version)
        hasher.combine(fields)
        hasher.combine(deletion)
        hasher.combine(createdAs)
    }
}

extension [Field] {
    /// The field of a name; `nil` if there is none.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public subscript(name: [UInt8]) -> Field? {
        @inline(never) get {
            for field in self where areEqual(field.name, name) { return field }
            return nil
        }
    }

    /// Whether the field of a name has a value.
    @inline(never)
    func has(_ other: Field) -> Bool {
        guard let field = self[other.name] else { return false }
        return areEqual(field.value, other.value)
    }

    /// Writes a field, keeping the order of the names.
    @inline(never)
    mutating func write(_ field: Field) {
        for position in indices where areEqual(self[position].name, field.name) {
            self[position] = field
            return
        }
        append(field)
        var position = count - 1
        while position > 0, precedes(field.name, self[position - 1].name) {
            self[position] = self[position - 1]
            position -= 1
        }
        self[position] = field
    }

    /// These fields with others written over them.
    @inline(never)
    func overlaid(by others: [Field]) -> [Field] {
        var fields = self
        for field in others { fields.write(field) }
        return fields
    }

    /// The fields with another stamp.
    @inline(never)
    func stamped(_ stamp: Stamp) -> [Field] {
        var fields: [Field] = []
        for field in self { fields.append(field.stamped(stamp)) }
        return fields
    }

    /// The names and values alone.
    public var values: [Field] { stamped(.zero) }

    /// The values of these fields with others written over them.
    func written(_ others: [Field]) -> [Field] { overlaid(by: others).values }
}
