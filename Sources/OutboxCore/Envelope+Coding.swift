/// The reason for which bytes are not an envelope.
@nonexhaustive public enum EnvelopeError: Error, Hashable, Sendable {
    /// The bytes are too few for any envelope.
    case truncated
    /// The first byte names a format that this build does not read.
    case unsupportedVersion
    /// The checksum does not match: a bit has changed, or bytes are missing or were appended.
    case corrupted
    /// The checksum matches, but a required field is missing, repeated or malformed.
    case malformed
}

/// The stored form, described byte by byte in docs/wire-format.md:
/// `version | id | (tag | length | value)* | CRC-32`.
extension Envelope {
    private static let version: UInt8 = 1

    private enum Tag {
        static let kind: UInt8 = 1
        static let createdAt: UInt8 = 2
        static let attemptCount: UInt8 = 3
        static let nextEligibleAt: UInt8 = 4
        static let waitCause: UInt8 = 5
        static let lastError: UInt8 = 6
        static let orderingKey: UInt8 = 7
        static let blocksLane: UInt8 = 8
    }

    /// Returns the stored form.
    ///
    /// - Precondition: Names are at most ``maximumNameLength`` bytes; `Outbox` checks this at
    ///   enqueue.
    /// - Complexity: O(size).
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(96)
        bytes.append(Self.version)
        bytes.appendBigEndian(id.high)
        bytes.appendBigEndian(id.low)
        bytes.appendField(Tag.kind, kind.utf8)
        bytes.appendField(Tag.createdAt, createdAt.millisecondsSinceEpoch)
        bytes.appendField(Tag.attemptCount, attemptCount)
        bytes.appendField(Tag.nextEligibleAt, nextEligibleAt.millisecondsSinceEpoch)
        bytes.appendField(Tag.waitCause, waitCause.rawValue)
        if let lastError { bytes.appendField(Tag.lastError, lastError.utf8) }
        if let orderingKey { bytes.appendField(Tag.orderingKey, orderingKey.bytes) }
        if blocksLane { bytes.appendField(Tag.blocksLane, []) }
        for field in unknownFields { bytes.appendField(field.tag, field.value) }
        bytes.appendBigEndian(crc32(bytes[...]))
        return bytes
    }

    /// Reads the stored form.
    ///
    /// Any change of the bytes is detected by the checksum, up to the limits of a CRC-32. A
    /// `waitCause` that this build does not know reads as ``WaitCause/backoff``.
    ///
    /// - Throws: ``EnvelopeError``. An unknown tag is not an error.
    /// - Complexity: O(size); allocates at most the size of the input, whatever lengths the input
    ///   claims.
    public init(decoding bytes: [UInt8]) throws(EnvelopeError) {
        guard let version = bytes.first else { throw .truncated }
        guard version == Self.version else { throw .unsupportedVersion }
        guard bytes.count >= 1 + 16 + 4 else { throw .truncated }
        let body = 0..<bytes.count - 4
        var trailer = ByteReader(bytes, in: body.upperBound..<bytes.count)
        guard trailer.read(UInt32.self) == crc32(bytes[body]) else { throw .corrupted }

        var reader = ByteReader(bytes, in: 1..<body.upperBound)
        guard let high = reader.read(UInt64.self), let low = reader.read(UInt64.self) else {
            throw .truncated
        }
        var fields = Fields()
        while !reader.isAtEnd {
            guard let tag = reader.read(UInt8.self), let length = reader.read(UInt16.self),
                fields.take(tag: tag, length: Int(length), &reader)
            else { throw .malformed }
        }
        guard let kind = fields.kind, let createdAt = fields.createdAt else { throw .malformed }
        self.init(
            id: OperationID(high: high, low: low),
            kind: OperationKind(utf8: kind),
            createdAt: WallTime(millisecondsSinceEpoch: createdAt),
            orderingKey: fields.orderingKey.map(OrderingKey.init(bytes:))
        )
        attemptCount = fields.attemptCount ?? 0
        nextEligibleAt = WallTime(millisecondsSinceEpoch: fields.nextEligibleAt ?? 0)
        waitCause = fields.waitCause.map { WaitCause(rawValue: $0) ?? .backoff } ?? .nothing
        lastError = fields.lastError.map(ReasonCode.init(utf8:))
        blocksLane = fields.blocksLane
        unknownFields = fields.unknown
    }

    private struct Fields {
        var kind: [UInt8]?
        var createdAt: Int64?
        var attemptCount: UInt32?
        var nextEligibleAt: Int64?
        var waitCause: UInt8?
        var lastError: [UInt8]?
        var orderingKey: [UInt8]?
        var blocksLane = false
        var unknown: [UnknownField] = []

        /// Whether the field was well-formed and not there before.
        mutating func take(tag: UInt8, length: Int, _ reader: inout ByteReader) -> Bool {
            switch tag {
            case Tag.kind: return set(&kind, length, &reader)
            case Tag.createdAt: return setInteger(&createdAt, length, &reader)
            case Tag.attemptCount: return setInteger(&attemptCount, length, &reader)
            case Tag.nextEligibleAt: return setInteger(&nextEligibleAt, length, &reader)
            case Tag.waitCause: return setInteger(&waitCause, length, &reader)
            case Tag.lastError: return set(&lastError, length, &reader)
            case Tag.orderingKey: return set(&orderingKey, length, &reader)
            case Tag.blocksLane:
                defer { blocksLane = true }
                return !blocksLane && length == 0
            default:
                guard let value = reader.read(count: length) else { return false }
                unknown.append(UnknownField(tag: tag, value: value))
                return true
            }
        }

        private func set(
            _ field: inout [UInt8]?,
            _ length: Int,
            _ reader: inout ByteReader
        ) -> Bool {
            guard field == nil, length <= Envelope.maximumNameLength,
                let value = reader.read(count: length)
            else { return false }
            field = value
            return true
        }

        private func setInteger<Value: FixedWidthInteger & BitwiseCopyable>(
            _ field: inout Value?,
            _ length: Int,
            _ reader: inout ByteReader
        ) -> Bool {
            guard field == nil, length == Value.bitWidth / 8,
                let integer = reader.read(Value.self)
            else { return false }
            field = integer
            return true
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendField(_ tag: UInt8, _ value: [UInt8]) {
        append(tag)
        appendBigEndian(UInt16(value.count))
        append(contentsOf: value)
    }

    fileprivate mutating func appendField<Value: FixedWidthInteger>(_ tag: UInt8, _ value: Value) {
        append(tag)
        appendBigEndian(UInt16(Value.bitWidth / 8))
        appendBigEndian(value)
    }
}
