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
        writer.write(base)
        writer.count(changes.count)
        for change in changes { writer.write(change) }
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Throws: A ``SyncFormatError``. The other records are not concerned.
    /// - Complexity: O(*n*) for *n* bytes.
    public convenience init(decoding bytes: [UInt8]) throws(SyncFormatError) {
        var reader = try SyncReader(bytes)
        self.init(reader.key())
        mark = UInt32(truncatingIfNeeded: reader.number())
        isDoubtful = reader.number() != 0
        movedTo = reader.bytes()
        base = reader.row()
        for _ in 0..<reader.count() {
            guard !reader.isMalformed else { break }
            changes.append(reader.change())
        }
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
        writer.byte(cursor == nil ? 0 : 1)
        if let cursor { writer.bytes(cursor) }
        writer.number(UInt64(sweep))
        writer.number(isSweeping ? 1 : 0)
        writer.byte(lastPulled == nil ? 0 : 1)
        if let lastPulled { writer.time(lastPulled) }
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Throws: A ``SyncFormatError``.
    public init(decoding bytes: [UInt8]) throws(SyncFormatError) {
        var reader = try SyncReader(bytes)
        self.init(node: reader.node())
        clock.number = reader.number()
        clock.time = reader.time()
        clock.serverTime = reader.time()
        if reader.isThere() { cursor = reader.bytes() }
        sweep = UInt32(truncatingIfNeeded: reader.number())
        isSweeping = reader.number() != 0
        if reader.isThere() { lastPulled = reader.time() }
        try reader.end()
    }
}

private struct SyncWriter {
    private(set) var bytes: [UInt8] = [1]

    init() {
        #if !hasFeature(Embedded)
            bytes.reserveCapacity(256)
        #endif
    }

    @inline(never) mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    #if hasFeature(Embedded)
        // Smaller.
        private mutating func number(_ number: UInt64, width: UInt64) {
            var shift = width
            while shift > 0 {
                shift -= 8
                byte(UInt8(truncatingIfNeeded: number >> shift))
            }
        }

        @inline(never) mutating func number(_ number: UInt64) { self.number(number, width: 64) }

        @inline(never) mutating func count(_ count: Int) { number(UInt64(count), width: 32) }
    #else
        mutating func number(_ number: UInt64) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }

        mutating func count(_ count: Int) {
            let number = UInt32(truncatingIfNeeded: count)
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
    #endif

    @inline(never) mutating func time(_ time: WallTime) {
        number(UInt64(bitPattern: time.millisecondsSinceEpoch))
    }

    @inline(never) mutating func bytes(_ some: [UInt8]) {
        count(some.count)
        bytes += some
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

    @inline(never) mutating func write(_ fields: [Field], isStamped: Bool) {
        count(fields.count)
        for field in fields {
            bytes(field.name)
            bytes(field.value)
            if isStamped { write(field.stamp) }
        }
    }

    @inline(never) mutating func write(_ row: Row?) {
        byte(row == nil ? 0 : 1)
        guard let row else { return }
        write(row.key)
        number(row.version)
        write(row.fields, isStamped: true)
        byte(row.deletion == nil ? 0 : 1)
        if let deletion = row.deletion { write(deletion) }
        bytes(row.createdAs)
    }

    @inline(never) mutating func write(_ change: SyncChange) {
        write(change.stamp)
        number(UInt64(change.attempt))
        number(change.madeOn)
        byte(change.intent.rawValue)
        write(change.fields, isStamped: false)
        write(change.before, isStamped: true)
        // A process that ends gets no answer any more.
        byte(change.isUnderWay ? SyncChange.State.unknown.rawValue : change.state.rawValue)
        number(change.version)
        byte(change.reason == nil ? 0 : 1)
        if let reason = change.reason { bytes(reason.code) }
        write(change.met)
    }
}

/// Reads what ``SyncWriter`` wrote. What cannot be read is zero, and makes the whole malformed: asked
/// once, at the end.
private struct SyncReader {
    private let source: [UInt8]
    private var position = 1
    private(set) var isMalformed = false

    init(_ bytes: [UInt8]) throws(SyncFormatError) {
        guard let version = bytes.first, version == 1 else { throw .unsupportedVersion }
        source = bytes
    }

    func end() throws(SyncFormatError) {
        guard !isMalformed, position == source.count else { throw .malformed }
    }

    @inline(never) mutating func byte() -> UInt8 {
        guard position < source.count else {
            isMalformed = true
            return 0
        }
        position += 1
        return source[position - 1]
    }

    private mutating func number(width: Int) -> UInt64 {
        var number: UInt64 = 0
        for _ in 0..<width { number = number << 8 | UInt64(byte()) }
        return number
    }

    @inline(never) mutating func number() -> UInt64 { number(width: 8) }

    /// A count, which may be anything.
    @inline(never) mutating func count() -> UInt32 {
        UInt32(truncatingIfNeeded: number(width: 4))
    }

    @inline(never) mutating func isThere() -> Bool {
        let byte = byte()
        if byte > 1 { isMalformed = true }
        return byte == 1
    }

    @inline(never) mutating func time() -> WallTime {
        WallTime(millisecondsSinceEpoch: Int64(bitPattern: number()))
    }

    @inline(never) mutating func bytes() -> [UInt8] {
        let count = Int(truncatingIfNeeded: count())
        guard count >= 0, count <= source.count - position else {
            isMalformed = true
            return []
        }
        position += count
        return Array(source[(position - count)..<position])
    }

    @inline(never) mutating func node() -> NodeID {
        let high = number()
        return NodeID(high: high, low: number())
    }

    @inline(never) mutating func stamp() -> Stamp {
        let time = time()
        let number = number()
        return Stamp(time: time, id: ChangeID(number: number, node: node()))
    }

    @inline(never) mutating func key() -> RecordKey {
        let kind = bytes()
        return RecordKey(kind: kind, id: bytes())
    }

    @inline(never) mutating func fields(isStamped: Bool) -> [Field] {
        var fields: [Field] = []
        for _ in 0..<count() {
            guard !isMalformed else { break }
            let name = bytes()
            let value = bytes()
            fields.append(Field(name: name, value: value, stamp: isStamped ? stamp() : .zero))
        }
        return fields
    }

    @inline(never) mutating func row() -> Row? {
        guard isThere() else { return nil }
        let key = key()
        let version = number()
        let fields = fields(isStamped: true)
        let deletion = isThere() ? stamp() : nil
        return Row(
            key: key,
            version: version,
            fields: fields,
            deletion: deletion,
            createdAs: bytes()
        )
    }

    @inline(never) mutating func change() -> SyncChange {
        let stamp = stamp()
        let attempt = UInt32(truncatingIfNeeded: number())
        let madeOn = number()
        let intent = SyncChange.Intent(rawValue: byte())
        let fields = fields(isStamped: false)
        let change = SyncChange(
            stamp: stamp,
            madeOn: madeOn,
            intent: intent ?? .delete,
            fields: fields,
            before: self.fields(isStamped: true)
        )
        change.attempt = attempt
        let state = SyncChange.State(rawValue: byte())
        if intent == nil || state == nil { isMalformed = true }
        change.state = state ?? .unknown
        change.version = number()
        if isThere() { change.reason = RefusalReason(code: bytes()) }
        change.met = row()
        return change
    }
}
