/// One SQL statement with its parameters.
package struct Statement: Sendable {
    /// A parameter, which is sent beside the text. Its type in SQL is fixed.
    package enum Value: Sendable {
        /// `NULL` of any type.
        case null
        /// `bigint`.
        case integer(Int64)
        /// `boolean`.
        case boolean(Bool)
        /// `text`.
        case text(String)
        /// `bytea`.
        case bytes([UInt8])
    }

    /// The text. Never made of values: those are parameters.
    let text: String
    let parameters: [Value]

    /// - Parameters:
    ///   - text: One statement, with `$1` for the first parameter.
    ///   - parameters: The values in their order; at most 65535.
    package init(_ text: StaticString, _ parameters: [Value] = []) {
        self.init(joining: [text], parameters)
    }

    /// - Parameters:
    ///   - parts: The parts of one statement, one behind the other without anything between them.
    ///   - parameters: The values in their order; at most 65535.
    package init(joining parts: [StaticString], _ parameters: [Value] = []) {
        precondition(parameters.count <= 65535, "PostgreSQL counts parameters in 16 bits")
        text = parts.map(\.description).joined()
        self.parameters = parameters
    }
}

/// The numbers of types (<https://www.postgresql.org/docs/15/catalog-pg-type.html>).
enum TypeNumber {
    static let unknown: UInt32 = 0
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer64: UInt32 = 20
    static let integer16: UInt32 = 21
    static let integer32: UInt32 = 23
    static let text: UInt32 = 25
    static let variableText: UInt32 = 1043
}

/// Parameters as libpq takes them: in binary form, one behind the other.
struct EncodedParameters {
    private var bytes: [UInt8] = []
    /// Where each value begins; `nil` for `NULL`.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private(set) var types: [UInt32] = []

    init(_ values: [Statement.Value]) {
        for value in values { append(value) }
        // The address of an empty value is not the one of NULL.
        bytes.append(0)
    }

    private mutating func append(_ value: Statement.Value) {
        let start = bytes.count
        switch value {
        case .null: types.append(TypeNumber.unknown)
        case .integer(let integer):
            withUnsafeBytes(of: integer.bigEndian) { bytes += $0 }
            types.append(TypeNumber.integer64)
        case .boolean(let isTrue):
            bytes.append(isTrue ? 1 : 0)
            types.append(TypeNumber.boolean)
        case .text(let text):
            bytes += text.utf8
            types.append(TypeNumber.text)
        case .bytes(let value):
            bytes += value
            types.append(TypeNumber.bytes)
        }
        if case .null = value { starts.append(nil) } else { starts.append(start) }
        lengths.append(Int32(bytes.count - start))
    }

    /// Calls `body` with the values' addresses, lengths and formats, which are valid during the call.
    func withPointers<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) ->
            Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let first = buffer.assumingMemoryBound(to: CChar.self).baseAddress
            let values = starts.map { start in start.flatMap { first?.advanced(by: $0) } }
            return body(values, lengths, [Int32](repeating: 1, count: starts.count))
        }
    }
}
