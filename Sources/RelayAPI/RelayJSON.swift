import Essentials

/// The bytes are not the JSON of the expected type. The error carries nothing of the bytes, which
/// may be a person's text.
public struct MalformedJSON: Error, Hashable, Sendable {
    public init() {}
}

/// The coding of the wire types as JSON, for both ends.
public enum RelayJSON {
    /// The JSON of `value`, its keys in alphabetical order, so that equal values have equal bytes.
    ///
    /// - Complexity: O(size).
    public static func encode(_ value: some Encodable) throws(MalformedJSON) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw MalformedJSON()
        }
    }

    /// Reads a value. Ignores members that the type does not have.
    ///
    /// - Throws: ``MalformedJSON`` also for bytes that are not UTF-8.
    /// - Complexity: O(size).
    public static func decode<Value: Decodable>(
        _: Value.Type,
        from bytes: some Collection<UInt8>
    ) throws(MalformedJSON) -> Value {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw MalformedJSON() }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw MalformedJSON()
        }
    }
}
