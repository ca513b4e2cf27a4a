import Essentials

/// A public key that a relay signs with, and the name under which receivers look for it.
package struct PublishedKey: Hashable, Sendable {
    /// The whole name of the record.
    package let name: String
    /// The record's value as it should be; `nil` where the relay's own key is not known.
    package let value: String?
    /// Whether the record has to be there.
    package let isRequired: Bool

    package init(name: String, value: String?, isRequired: Bool) {
        self.name = name
        self.value = value
        self.isRequired = isRequired
    }
}

/// A record of a public key ([RFC 6376, section 3.6.1](https://www.rfc-editor.org/rfc/rfc6376#section-3.6.1),
/// [RFC 8463](https://www.rfc-editor.org/rfc/rfc8463)).
struct DKIMRecord {
    enum Key: Hashable {
        case rsa(bits: Int)
        case ed25519
        case revoked
    }

    let key: Key
    /// The key's bytes.
    let bytes: [UInt8]
    /// Whether receivers are asked to treat the mails as unsigned ones.
    let isTest: Bool

    /// Reads a record.
    ///
    /// - Throws: ``DKIMMistake``.
    init(_ text: [UInt8]) throws(DKIMMistake) {
        guard let tags = TagList(text) else { throw .syntax }
        if tags["v"] != nil, tags.first?.name != "v" || tags["v"] != "DKIM1" { throw .version }
        guard let value = tags["p"] else { throw .noKey }
        isTest = Self.list(tags["t"]).contains("y")
        if let services = tags["s"], Self.list(services).allSatisfy({ $0 != "*" && $0 != "email" })
        {
            throw .otherService
        }
        if let hashes = tags["h"], !Self.list(hashes).contains("sha256") { throw .otherHash }
        let base64 = value.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: base64) else { throw .badKey }
        bytes = Array(data)
        if bytes.isEmpty {
            key = .revoked
            return
        }
        switch tags["k"] ?? "rsa" {
        case "ed25519":
            guard bytes.count == 32 else { throw .badKey }
            key = .ed25519
        case "rsa":
            guard let bits = RSAKeySize.bits(of: bytes) else { throw .badKey }
            key = .rsa(bits: bits)
        default: throw .otherAlgorithm
        }
    }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ":").map { $0.filter { !$0.isWhitespace } }
    }
}

/// The reason for which receivers cannot use a record of a public key.
enum DKIMMistake: Error, Hashable {
    case syntax
    case version
    case noKey
    case badKey
    case otherAlgorithm
    case otherHash
    case otherService
}

/// The size of a public RSA key in DER: a `SubjectPublicKeyInfo`
/// ([RFC 5280, section 4.1](https://www.rfc-editor.org/rfc/rfc5280#section-4.1)), or the bare
/// `RSAPublicKey` within ([RFC 8017, appendix A.1.1](https://www.rfc-editor.org/rfc/rfc8017#appendix-A.1.1)).
enum RSAKeySize {
    /// The number of bits of the modulus; `nil` for other bytes.
    static func bits(of der: [UInt8]) -> Int? {
        var outer = der[...]
        guard var sequence = take(0x30, &outer), outer.isEmpty else { return nil }
        if sequence.first == 0x30 {
            guard take(0x30, &sequence) != nil, let bits = take(0x03, &sequence),
                sequence.isEmpty, bits.first == 0
            else { return nil }
            var inner = bits.dropFirst()
            guard let key = take(0x30, &inner), inner.isEmpty else { return nil }
            sequence = key
        }
        guard let modulus = take(0x02, &sequence), take(0x02, &sequence) != nil, sequence.isEmpty
        else { return nil }
        let digits = modulus.drop { $0 == 0 }
        guard let first = digits.first else { return nil }
        return digits.count * 8 - first.leadingZeroBitCount
    }

    /// The content of the element at the beginning, which has this tag.
    private static func take(
        _ tag: UInt8,
        _ bytes: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard (0x81...0x82).contains(first) else { return nil }
            length = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = bytes.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
