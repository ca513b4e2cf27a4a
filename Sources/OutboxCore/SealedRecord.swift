/// The reason for which bytes are not a sealed record.
@nonexhaustive public enum SealedRecordError: Error, Hashable, Sendable {
    /// The bytes are too short for a header and an authentication tag.
    case truncated
    /// The first byte names a format that this build does not read.
    case unsupportedVersion
}

/// The identifier of a key. It is random, and never derived from the key.
public struct KeyID: Hashable, Sendable {
    /// The identifier's stored number.
    public let rawValue: UInt64

    /// Creates the identifier with this stored number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The layout of a payload at rest: `version | key id | nonce | ciphertext | tag`.
///
/// This type splits and joins bytes; it does not encrypt. The shells encrypt, with AES-256-GCM over
/// the payload and ``associatedData(keyID:id:kind:createdAt:)`` beside it, so that a record moved
/// to another operation does not open ([NIST SP 800-38D](https://doi.org/10.6028/NIST.SP.800-38D)).
public struct SealedRecord: Hashable, Sendable {
    /// The first byte of the stored form.
    public static let version: UInt8 = 1
    /// Bytes before the ciphertext: version, key id and nonce.
    public static let headerLength = 1 + 8 + nonceLength
    /// In bytes.
    public static let nonceLength = 12
    /// In bytes.
    public static let tagLength = 16

    /// The identifier of the key that sealed the record.
    public let keyID: KeyID
    /// The nonce: random, and never used twice under one key.
    public let nonce: [UInt8]
    /// The encrypted payload; as long as the payload.
    public let ciphertext: [UInt8]
    /// The authentication tag, which proves that the record is authentic.
    public let tag: [UInt8]

    /// - Precondition: `nonce` has ``nonceLength`` bytes and `tag` ``tagLength``.
    public init(keyID: KeyID, nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
        precondition(nonce.count == Self.nonceLength && tag.count == Self.tagLength)
        self.keyID = keyID
        self.nonce = nonce
        self.ciphertext = ciphertext
        self.tag = tag
    }

    /// Splits stored bytes. Only opening the record proves that the bytes are authentic.
    public init(decoding bytes: [UInt8]) throws(SealedRecordError) {
        let (keyID, sealed) = try Self.split(bytes)
        let ciphertext = sealed.startIndex + Self.nonceLength..<sealed.endIndex - Self.tagLength
        self.init(
            keyID: keyID,
            nonce: Array(sealed[..<ciphertext.lowerBound]),
            ciphertext: Array(sealed[ciphertext]),
            tag: Array(sealed[ciphertext.upperBound...])
        )
    }

    /// The key that stored bytes name, and what it sealed: nonce, ciphertext and tag, as libraries
    /// for AES-GCM combine them.
    package static func split(
        _ bytes: [UInt8]
    ) throws(SealedRecordError) -> (keyID: KeyID, sealed: ArraySlice<UInt8>) {
        guard let version = bytes.first else { throw .truncated }
        guard version == Self.version else { throw .unsupportedVersion }
        guard bytes.count >= headerLength + tagLength else { throw .truncated }
        var reader = ByteReader(bytes, in: 1..<bytes.count)
        guard let key = reader.read(UInt64.self) else { throw .truncated }
        return (KeyID(rawValue: key), bytes[reader.position...])
    }

    /// Returns the stored bytes.
    public func encoded() -> [UInt8] {
        var bytes = Self.start(
            keyID: keyID,
            reserving: Self.nonceLength + ciphertext.count + Self.tagLength
        )
        bytes.append(contentsOf: nonce)
        bytes.append(contentsOf: ciphertext)
        bytes.append(contentsOf: tag)
        return bytes
    }

    /// The stored bytes as far as the nonce. Nonce, ciphertext and tag follow, as libraries for
    /// AES-GCM combine them.
    package static func start(keyID: KeyID, reserving count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerLength - nonceLength + count)
        bytes.append(version)
        bytes.appendBigEndian(keyID.rawValue)
        return bytes
    }

    /// Returns the data that is authenticated together with the ciphertext: `version | key id |
    /// operation id | createdAt | kind`.
    public static func associatedData(
        keyID: KeyID,
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(33 + kind.utf8.count)
        bytes.append(version)
        bytes.appendBigEndian(keyID.rawValue)
        bytes.appendBigEndian(id.high)
        bytes.appendBigEndian(id.low)
        bytes.appendBigEndian(createdAt.millisecondsSinceEpoch)
        bytes.append(contentsOf: kind.utf8)
        return bytes
    }

    /// The first byte of the data that is authenticated with bytes that are no operation's.
    package static let contextVersion: UInt8 = 2

    /// Returns the data that is authenticated together with the ciphertext of bytes that are no
    /// operation's: `2 | key id | context`. It equals that of no operation, which begins with
    /// ``version``.
    public static func associatedData(keyID: KeyID, context: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(9 + context.count)
        bytes.append(contextVersion)
        bytes.appendBigEndian(keyID.rawValue)
        bytes.append(contentsOf: context)
        return bytes
    }
}
