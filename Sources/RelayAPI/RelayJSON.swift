#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes are not the JSON of the type asked for. It says no more: the bytes may be a person's own.
public struct MalformedJSON: Error, Hashable, Sendable {
    public init() {}
}

/// The one JSON coding of both ends.
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

    /// Reads a value. Members that the type does not know are passed over.
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
