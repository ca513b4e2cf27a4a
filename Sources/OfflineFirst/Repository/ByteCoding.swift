internal import Essentials

/// The stored form of a value: two functions that depend on their argument alone.
///
/// The form outlives the build that wrote it. A cache whose bytes a build cannot decode has a miss, so a
/// form may change; a local change of the person in the old form is then not shown. Let the new build
/// read the old form while changes may be pending.
public struct ByteCoding<Value>: Sendable {
    /// Encodes a value.
    public let encode: @Sendable (Value) throws -> [UInt8]
    /// Decodes bytes; throws if they are not of this form.
    public let decode: @Sendable ([UInt8]) throws -> Value

    /// Makes a form.
    public init(
        encode: @escaping @Sendable (Value) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

/// The bytes are not of this form.
struct UndecodableBytes: Error {}

extension ByteCoding where Value: Codable & Sendable {
    /// JSON, as Foundation writes and reads it.
    ///
    /// - Complexity: O(*n*) for *n* bytes; several times as long as a form of your own.
    public static var json: ByteCoding {
        ByteCoding(
            encode: { Array(try JSONEncoder().encode($0)) },
            decode: { try JSONDecoder().decode(Value.self, from: Data($0)) }
        )
    }
}

extension ByteCoding where Value: LosslessStringConvertible & Sendable {
    /// The description in UTF-8.
    public static var text: ByteCoding {
        ByteCoding(
            encode: { Array($0.description.utf8) },
            decode: { bytes in
                guard let text = String(validating: bytes, as: UTF8.self), let value = Value(text)
                else { throw UndecodableBytes() }
                return value
            }
        )
    }
}

extension ByteCoding where Value == [UInt8] {
    /// The bytes as they are.
    public static var bytes: ByteCoding { ByteCoding(encode: { $0 }, decode: { $0 }) }
}
