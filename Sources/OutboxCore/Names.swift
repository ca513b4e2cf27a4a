/// The name under which a handler is registered: UTF-8 bytes, compared byte for byte.
///
/// A kind outlives the build that wrote it: an older or newer build keeps entries whose kind it
/// does not know. Convention: lower-case ASCII, dots between words. At most
/// ``Envelope/maximumNameLength`` bytes.
public struct OperationKind: Hashable, Sendable {
    public let utf8: [UInt8]

    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }
}

/// Why an attempt failed or an operation is parked: a short stable code such as `relay.http.500`.
///
/// A code names a type of error. It never carries an error's text, which may quote what the person
/// wrote, and it is safe to log.
public struct ReasonCode: Hashable, Sendable {
    public let utf8: [UInt8]

    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }
}

/// Operations that share an ordering key are meant to run one at a time, in order. Opaque bytes.
public struct OrderingKey: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        self.bytes = bytes
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

#if !hasFeature(Embedded)
    extension OperationKind: CustomStringConvertible {
        public var description: String { String(decoding: utf8, as: UTF8.self) }
    }

    extension ReasonCode: CustomStringConvertible {
        public var description: String { String(decoding: utf8, as: UTF8.self) }
    }
#endif
