internal import OutboxCore

// The stored form of records and of what is stored beside them. Numbers are big-endian; bytes have
// their length before them. The first byte is the version of the form.

/// A reason why stored bytes are not read.
public enum SyncFormatError: Error, Hashable, Sendable {
    /// A newer build wrote the bytes, or they are not of this form.
    case unsupportedVersion
    /// The bytes end early, go on too long, or contradict themselves.
    case malformed
}

extension SyncRecord {
    /// The stored form.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    public func encoded() -> [UInt8] {
        var writer = SyncWriter()
        writer.write(key)
        writer.number(UInt64(mark))
        writer.number(isDoubtful ? 1 : 0)
        writer.bytes(movedTo)
        writer.optional(base) { $0.write($1) }
        writer.list(changes) { $0.write($1) }
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Throws: A ``SyncFormatError``. The other records are not concerned.
    /// - Complexity: O(*n*) for *n* bytes.
    public init(decoding bytes: [UInt8]) throws(SyncFormatError) {
        var reader = try SyncReader(bytes)
        self.init(try reader.key())
        mark = UInt32(truncatingIfNeeded: try reader.number())
        isDoubtful = try reader.number() != 0
        movedTo = try reader.bytes()
        base = try reader.optional { reader throws(SyncFormatError) in try reader.row() }
        changes = try reader.list { reader throws(SyncFormatError) in try reader.change() }
        try reader.end()
    }
}

extension SyncMeta {
    /// The stored form.
    public func encoded() -> [UInt8] {
        var writer = SyncWriter()
        writer.write(clock.node)
        writer.number(clock.number)
        writer.time(clock.time)
        writer.time(clock.serverTime)
        writer.optional(cursor) { $0.bytes($1) }
        writer.number(UInt64(sweep))
        writer.number(isSweeping ? 1 : 0)
        writer.optional(lastPulled) { $0.time($1) }
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Throws: A ``SyncFormatError``.
    public init(decoding bytes: [UInt8]) throws(SyncFormatError) {
        var reader = try SyncReader(bytes)
        self.init(node: try reader.node())
        clock.number = try reader.number()
        clock.time = try reader.time()
        clock.serverTime = try reader.time()
        cursor = try reader.optional { reader throws(SyncFormatError) in try reader.bytes() }
        sweep = UInt32(truncatingIfNeeded: try reader.number())
        isSweeping = try reader.number() != 0
        lastPulled = try reader.optional { reader throws(SyncFormatError) in try reader.time() }
        try reader.end()
    }
}

private struct SyncWriter {
    private(set) var bytes: [UInt8] = [1]

    @inline(never) mutating func number(_ number: UInt64) { bytes.appendBigEndian(number) }

    @inline(never) mutating func time(_ time: WallTime) {
        number(UInt64(bitPattern: time.millisecondsSinceEpoch))
    }

    @inline(never) mutating func bytes(_ some: [UInt8]) {
        bytes.appendBigEndian(UInt32(some.count))
        bytes += some
    }

    @inline(never) mutating func optional<Value>(
        _ value: Value?,
        _ write: (inout SyncWriter, Value) -> Void
    ) {
        bytes.append(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    @inline(never) mutating func list<Value>(
        _ values: [Value],
        _ write: (inout SyncWriter, Value) -> Void
    ) {
        bytes.appendBigEndian(UInt32(values.count))
        for value in values { write(&self, value) }
    }

    @inline(never) mutating func write(_ node: NodeID) {
        number(node.high)
        number(node.low)
    }

    @inline(never) mutating func write(_ stamp: Stamp) {
        time(stamp.time)
        number(stamp.id.number)
        write(stamp.id.node)
    }

    @inline(never) mutating func write(_ key: RecordKey) {
        bytes(key.kind)
        bytes(key.id)
    }

    @inline(never) mutating func write(_ fields: [Field]) {
        list(fields) { writer, field in
            writer.bytes(field.name)
            writer.bytes(field.value)
            writer.write(field.stamp)
        }
    }

    @inline(never) mutating func write(_ row: Row) {
        write(row.key)
        number(row.version)
        write(row.fields)
        optional(row.deletion) { $0.write($1) }
        bytes(row.createdAs)
    }

    @inline(never) mutating func write(_ change: SyncChange) {
        write(change.stamp)
        number(UInt64(change.attempt))
        number(change.madeOn)
        bytes.append(change.intent.rawValue)
        list(change.fields) { writer, field in
            writer.bytes(field.name)
            writer.bytes(field.value)
        }
        write(change.before)
        switch change.state {
        case .queued: bytes.append(0)
        // A process that ends gets no answer any more.
        case .sending, .unknown, .asking: bytes.append(1)
        case .accepted(let version):
            bytes.append(2)
            number(version)
        case .refused(let reason, let row):
            bytes.append(3)
            bytes(reason.code)
            optional(row) { $0.write($1) }
        }
    }
}

private struct SyncReader {
    private var reader: ByteReader

    init(_ bytes: [UInt8]) throws(SyncFormatError) {
        reader = ByteReader(bytes, in: 0..<bytes.count)
        guard reader.read(UInt8.self) == 1 else { throw .unsupportedVersion }
    }

    func end() throws(SyncFormatError) {
        guard reader.isAtEnd else { throw .malformed }
    }

    @inline(never) mutating func byte() throws(SyncFormatError) -> UInt8 {
        guard let byte = reader.read(UInt8.self) else { throw .malformed }
        return byte
    }

    @inline(never) mutating func number() throws(SyncFormatError) -> UInt64 {
        guard let number = reader.read(UInt64.self) else { throw .malformed }
        return number
    }

    @inline(never) mutating func time() throws(SyncFormatError) -> WallTime {
        WallTime(millisecondsSinceEpoch: Int64(bitPattern: try number()))
    }

    @inline(never) mutating func bytes() throws(SyncFormatError) -> [UInt8] {
        guard let count = reader.read(UInt32.self),
            let bytes = reader.read(count: Int(truncatingIfNeeded: count))
        else { throw .malformed }
        return bytes
    }

    @inline(never) mutating func optional<Value>(
        _ read: (inout SyncReader) throws(SyncFormatError) -> Value
    ) throws(SyncFormatError) -> Value? {
        switch try byte() {
        case 0: return nil
        case 1: return try read(&self)
        default: throw .malformed
        }
    }

    /// Reserves nothing by the count, which may be anything.
    @inline(never) mutating func list<Value>(
        _ read: (inout SyncReader) throws(SyncFormatError) -> Value
    ) throws(SyncFormatError) -> [Value] {
        guard let count = reader.read(UInt32.self) else { throw .malformed }
        var values: [Value] = []
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    @inline(never) mutating func node() throws(SyncFormatError) -> NodeID {
        NodeID(high: try number(), low: try number())
    }

    @inline(never) mutating func stamp() throws(SyncFormatError) -> Stamp {
        let time = try time()
        let number = try number()
        return Stamp(time: time, id: ChangeID(number: number, node: try node()))
    }

    @inline(never) mutating func key() throws(SyncFormatError) -> RecordKey {
        RecordKey(kind: try bytes(), id: try bytes())
    }

    @inline(never) mutating func fields() throws(SyncFormatError) -> [Field] {
        try list { reader throws(SyncFormatError) in
            Field(
                name: try reader.bytes(),
                value: try reader.bytes(),
                stamp: try reader.stamp()
            )
        }
    }

    @inline(never) mutating func row() throws(SyncFormatError) -> Row {
        Row(
            key: try key(),
            version: try number(),
            fields: try fields(),
            deletion: try optional { reader throws(SyncFormatError) in try reader.stamp() },
            createdAs: try bytes()
        )
    }

    @inline(never) mutating func change() throws(SyncFormatError) -> SyncChange {
        let stamp = try stamp()
        let attempt = UInt32(truncatingIfNeeded: try number())
        let madeOn = try number()
        guard let intent = SyncChange.Intent(rawValue: try byte()) else { throw .malformed }
        let fields = try list { reader throws(SyncFormatError) in
            FieldValue(name: try reader.bytes(), value: try reader.bytes())
        }
        var change = SyncChange(
            stamp: stamp,
            madeOn: madeOn,
            intent: intent,
            fields: fields,
            before: try self.fields()
        )
        change.attempt = attempt
        switch try byte() {
        case 0: change.state = .queued
        case 1: change.state = .unknown
        case 2: change.state = .accepted(try number())
        case 3:
            let reason = RefusalReason(code: try bytes())
            change.state = .refused(
                reason,
                try optional { reader throws(SyncFormatError) in try reader.row() }
            )
        default: throw .malformed
        }
        return change
    }
}
