/// The name under which a handler is registered: UTF-8 bytes, compared byte for byte.
///
/// A kind outlives the build that wrote it: an older or newer build keeps entries whose kind it
/// does not know. Convention: lower-case ASCII, dots between words. At most
/// ``Envelope/maximumNameLength`` bytes.
public struct OperationKind: Hashable, Sendable {
    /// The name in UTF-8; not checked to be well-formed.
    public let utf8: [UInt8]

    /// Creates a kind with this name. The name is checked when an operation is enqueued.
    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }
}

/// The reason for which an attempt failed or an operation is parked: a short stable code such as
/// `relay.http.500`.
///
/// A code names a type of error. It never carries an error's text, which may quote the person's
/// words. A code is safe to log.
public struct ReasonCode: Hashable, Sendable {
    /// The code in UTF-8.
    public let utf8: [UInt8]

    /// Creates a reason with this code, at most ``Envelope/maximumNameLength`` bytes.
    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }

    /// Whether the code consists of ASCII letters, digits, `.`, `-` and `_`, and is not too long.
    ///
    /// Every code of this package does. A damaged storage, or one that another program wrote, may
    /// hold any bytes: do not show those to a person.
    public var isPlain: Bool {
        !utf8.isEmpty && utf8.count <= Envelope.maximumNameLength
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }
}

/// The name of a lane: operations that share an ordering key run one at a time, in the order in
/// which they were inserted. Lanes are independent of one another, and of operations without a key.
///
/// Opaque bytes, compared byte for byte: at least 1, at most ``Envelope/maximumNameLength``. A key
/// is stored unsealed, so it must not reveal the content that sealing protects. There may be any
/// number of lanes, each of any length. Neither number slows an enqueue or a look-up.
public struct OrderingKey: Hashable, Sendable {
    /// The name of the lane.
    public let bytes: [UInt8]

    /// Creates the key of the lane with this name. The name is checked when an operation is
    /// enqueued.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates the key of the lane with this name, in UTF-8: `OrderingKey("document \(id)")`.
    public init(_ name: String) {
        self.init(bytes: Array(name.utf8))
    }
}

extension OrderingKey: ExpressibleByStringInterpolation {
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

extension OperationKind: ExpressibleByStringLiteral {
    public init(stringLiteral value: StaticString) {
        self.init(utf8: value.withUTF8Buffer { Array($0) })
    }
}

extension ReasonCode: ExpressibleByStringLiteral {
    public init(stringLiteral value: StaticString) {
        self.init(utf8: value.withUTF8Buffer { Array($0) })
    }
}

/// The codes of damage for which an entry is quarantined.
extension ReasonCode {
    /// The envelope is damaged, or in a format that this build does not read.
    public static let damagedEnvelope: ReasonCode = "quarantine.envelope"
    /// The sealed record is damaged, or in a format that this build does not read.
    public static let damagedRecord: ReasonCode = "quarantine.record"
    /// The key that sealed the record is not in the key store.
    public static let unknownKey: ReasonCode = "quarantine.unknown-key"
    /// The record fails authentication: it was changed, or it belongs to another operation.
    public static let notAuthentic: ReasonCode = "quarantine.not-authentic"
}

#if !hasFeature(Embedded)
    extension OperationKind: CustomStringConvertible {
        public var description: String { String(decoding: utf8, as: UTF8.self) }
    }

    extension ReasonCode: CustomStringConvertible {
        public var description: String { String(decoding: utf8, as: UTF8.self) }
    }

    extension OrderingKey: CustomStringConvertible {
        /// The name as text, or its bytes in hexadecimal digits if they are not UTF-8.
        public var description: String {
            String(validating: bytes, as: UTF8.self)
                ?? bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
#endif
