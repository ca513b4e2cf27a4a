import Foundation

/// Bytes as JSON: a text in Base64 (RFC 4648, section 4).
struct EncodedBytes: Codable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let data = Data(base64Encoded: try container.decode(String.self)) else {
            throw container.malformed("no Base64")
        }
        bytes = Array(data)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes).base64EncodedString())
    }
}

/// A number of 64 bits as JSON: a text of 16 hexadecimal digits, because many readers of JSON keep
/// 53 bits of a number.
struct EncodedWord: Codable {
    let word: UInt64

    init(_ word: UInt64) { self.word = word }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == 16, text.utf8.allSatisfy(Self.isDigit),
            let word = UInt64(text, radix: 16)
        else { throw container.malformed("no 16 hexadecimal digits") }
        self.word = word
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let digits = String(word, radix: 16)
        try container.encode(String(repeating: "0", count: 16 - digits.count) + digits)
    }
}

extension SingleValueDecodingContainer {
    func malformed(_ what: String) -> DecodingError {
        .dataCorruptedError(in: self, debugDescription: what)
    }
}

extension KeyedDecodingContainer {
    func bytes(_ key: Key) throws -> [UInt8] { try decode(EncodedBytes.self, forKey: key).bytes }

    func bytesIfPresent(_ key: Key) throws -> [UInt8]? {
        try decodeIfPresent(EncodedBytes.self, forKey: key)?.bytes
    }

    func word(_ key: Key) throws -> UInt64 { try decode(EncodedWord.self, forKey: key).word }

    func malformed(_ key: Key, _ what: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: what)
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ bytes: [UInt8], _ key: Key) throws {
        try encode(EncodedBytes(bytes), forKey: key)
    }

    mutating func encodeWord(_ word: UInt64, _ key: Key) throws {
        try encode(EncodedWord(word), forKey: key)
    }
}
