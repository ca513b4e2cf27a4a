import Synchronization

/// One SQL statement with its parameters. Equal statements have equal answers at one moment.
package struct Statement: Hashable, Sendable {
    /// A parameter, which is sent beside the text. Its type in SQL is fixed.
    package enum Value: Hashable, Sendable {
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
        /// An array of values of one of the other types, of which none is `NULL` or an array; at least one.
        case list([Value])
    }

    /// The text. Never made of values: those are parameters.
    package let text: String
    let parameters: [Value]

    /// Whether the text has parameters.
    package var hasParameters: Bool { !parameters.isEmpty }

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

    /// The same question with several rows of parameters, as one statement.
    ///
    /// Its answer has the rows of all answers, each with a column before its own ones: the number of its
    /// parameters, counted from 1 (``Rows/parts(_:)``).
    ///
    /// - Parameter statements: Statements of one text that read, at least one; each has parameters, and none of
    ///   them is `NULL` or a list.
    package init(asking statements: [Statement]) {
        let first = statements[0]
        text = Self.texts.withLock { texts in
            if let text = texts[first.text] { return text }
            let text = Self.text(asking: first.text, parameters: first.parameters.count)
            texts[first.text] = text
            return text
        }
        parameters = first.parameters.indices.map { index in
            .list(statements.map { $0.parameters[index] })
        }
    }

    /// The texts of ``init(asking:)`` by those of single statements, which are the program's.
    private static let texts = Mutex<[String: String]>([:])

    /// The parameters are columns of a table, each of whose rows asks by itself: `OFFSET 0` keeps the server
    /// from joining tables in another way.
    private static func text(asking text: String, parameters: Int) -> String {
        let numbers = 1...parameters
        return """
            SELECT asked.number, found.*
            FROM unnest(\(numbers.map { "$\($0)" }.joined(separator: ", "))) WITH ORDINALITY
                AS asked(\(numbers.map { "p\($0)" }.joined(separator: ", ")), number)
            CROSS JOIN LATERAL (
            \(text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "asked.p"))
            OFFSET 0) AS found
            """
    }

    /// Of the text, whose length tells nearly all texts apart, the parameters tell which statement it is.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        hasher.combine(parameters)
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
    /// The types of arrays, by those of their elements.
    static let lists: [UInt32: UInt32] = [boolean: 1000, bytes: 1001, text: 1009, integer64: 1016]
}

/// Parameters as libpq takes them: in binary form, one behind the other.
struct EncodedParameters {
    private var bytes: [UInt8] = []
    /// Where each value begins; `nil` for `NULL`.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private(set) var types: [UInt32] = []

    init(_ values: [Statement.Value]) {
        for value in values {
            if case .null = value { starts.append(nil) } else { starts.append(bytes.count) }
            let start = bytes.count
            types.append(append(value))
            lengths.append(Int32(bytes.count - start))
        }
        // The address of an empty value is not the one of NULL.
        bytes.append(0)
    }

    /// Appends the bytes of a value.
    ///
    /// - Returns: The number of its type.
    private mutating func append(_ value: Statement.Value) -> UInt32 {
        switch value {
        case .null: return TypeNumber.unknown
        case .integer(let integer):
            withUnsafeBytes(of: integer.bigEndian) { bytes += $0 }
            return TypeNumber.integer64
        case .boolean(let isTrue):
            bytes.append(isTrue ? 1 : 0)
            return TypeNumber.boolean
        case .text(let text):
            bytes += text.utf8
            return TypeNumber.text
        case .bytes(let value):
            bytes += value
            return TypeNumber.bytes
        case .list(let values): return append(list: values)
        }
    }

    /// Appends an array of one dimension, whose first element has the number 1: the form of `array_send`.
    private mutating func append(list values: [Statement.Value]) -> UInt32 {
        func append(_ number: Int, at place: Int? = nil) {
            let number = Int32(number).bigEndian
            withUnsafeBytes(of: number) { four in
                guard let place else {
                    bytes += four
                    return
                }
                bytes.replaceSubrange(place..<place + 4, with: four)
            }
        }
        append(1)
        append(0)
        let typePlace = bytes.count
        append(0)
        append(values.count)
        append(1)
        var type: UInt32?
        for value in values {
            let place = bytes.count
            append(0)
            let start = bytes.count
            let own = self.append(value)
            precondition(own == type ?? own, "the values of a list have one type")
            type = own
            append(bytes.count - start, at: place)
        }
        guard let type, let list = TypeNumber.lists[type] else {
            preconditionFailure("a list has values, none of them NULL or a list")
        }
        append(Int(type), at: typePlace)
        return list
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
