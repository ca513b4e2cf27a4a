import OutboxCore
public import SyncCore

/// `{"kind": BYTES, "id": BYTES}`.
extension RecordKey: Codable {
    private enum Key: String, CodingKey { case kind, id }

    /// Reads a name.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(kind: try container.bytes(.kind), id: try container.bytes(.id))
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, .kind)
        try container.encode(id, .id)
    }
}

/// `{"number": NUMBER, "node": [WORD, WORD]}`.
extension ChangeID: Codable {
    private enum Key: String, CodingKey { case number, node }

    /// Reads the identity of a change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let node = try container.decode([EncodedWord].self, forKey: .node)
        guard node.count == 2 else { throw container.malformed(.node, "not two words") }
        self.init(
            number: try container.decode(UInt64.self, forKey: .number),
            node: NodeID(high: node[0].word, low: node[1].word)
        )
    }

    /// Writes the identity of the change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number, forKey: .number)
        try container.encode([EncodedWord(node.high), EncodedWord(node.low)], forKey: .node)
    }
}

/// `{"time": MILLISECONDS, "change": CHANGE}`.
extension Stamp: Codable {
    private enum Key: String, CodingKey { case time, change }

    /// Reads a stamp.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            time: WallTime(
                millisecondsSinceEpoch: try container.decode(Int64.self, forKey: .time)
            ),
            id: try container.decode(ChangeID.self, forKey: .change)
        )
    }

    /// Writes the stamp.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(time.millisecondsSinceEpoch, forKey: .time)
        try container.encode(id, forKey: .change)
    }
}

/// `{"name": BYTES, "value": BYTES, "stamp": STAMP}`; without a stamp, a value to write.
extension Field: Codable {
    private enum Key: String, CodingKey { case name, value, stamp }

    /// Reads a field.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            name: try container.bytes(.name),
            value: try container.bytes(.value),
            stamp: try container.decodeIfPresent(Stamp.self, forKey: .stamp) ?? .zero
        )
    }

    /// Writes the field.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, .name)
        try container.encode(value, .value)
        if stamp != .zero { try container.encode(stamp, forKey: .stamp) }
    }
}

/// `{"key": KEY, "version": NUMBER, "fields": [FIELD, …], "deletion": STAMP, "createdAs": BYTES}`; the
/// last two only where the row has them.
extension Row: Codable {
    private enum Key: String, CodingKey { case key, version, fields, deletion, createdAs }

    /// Reads a row.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            key: try container.decode(RecordKey.self, forKey: .key),
            version: try container.decode(UInt64.self, forKey: .version),
            fields: try container.fields(.fields),
            deletion: try container.decodeIfPresent(Stamp.self, forKey: .deletion),
            createdAs: try container.bytesIfPresent(.createdAs) ?? []
        )
    }

    /// Writes the row.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(key, forKey: .key)
        try container.encode(version, forKey: .version)
        try container.encode(fields, forKey: .fields)
        try container.encodeIfPresent(deletion, forKey: .deletion)
        if !createdAs.isEmpty { try container.encode(createdAs, .createdAs) }
    }
}

/// The limits of what a message may hold, beside that of its bytes, which whoever receives it sets.
public enum SyncMessageLimits {
    /// The most fields of a row or a write: putting *n* of them into order takes O(*n*²).
    public static let fields = 4096
}

extension KeyedDecodingContainer {
    func fields(_ key: Key) throws -> [Field] {
        var list = try nestedUnkeyedContainer(forKey: key)
        var fields: [Field] = []
        while !list.isAtEnd {
            guard fields.count < SyncMessageLimits.fields else {
                throw malformed(key, "more than \(SyncMessageLimits.fields) fields")
            }
            fields.append(try list.decode(Field.self))
        }
        return fields
    }
}
