import LibpqShims

/// The answer to a statement: its rows, or the number of rows that it changed.
///
/// Not thread-safe. A column's type is the caller's to know: to read it as another one is a mistake that
/// ends the process.
package final class Rows {
    /// A result of libpq's, which is freed with this object.
    private final class Received {
        let result: OpaquePointer
        let library: memo_libpq

        init(_ result: OpaquePointer, of library: memo_libpq) {
            self.result = result
            self.library = library
        }

        deinit { library.PQclear(result) }
    }

    private let received: Received
    /// The numbers of these rows in the result; `nil` for all.
    private let chosen: [Int32]?
    /// The number of columns before those of these rows.
    private let columnsBefore: Int

    private var library: memo_libpq { received.library }
    private var result: OpaquePointer { received.result }

    /// - Parameter result: A result without an error. It is freed with these rows.
    init(_ result: OpaquePointer, of library: memo_libpq) {
        received = Received(result, of: library)
        (chosen, columnsBefore) = (nil, 0)
    }

    private init(_ chosen: [Int32], of received: Received, columnsBefore: Int) {
        self.received = received
        self.chosen = chosen
        self.columnsBefore = columnsBefore
    }

    /// The rows by the numbers in their first column, which are counted from 1, without that column.
    package func parts(_ count: Int) -> [Rows] {
        var chosen = [[Int32]](repeating: [], count: count)
        for index in 0..<self.count { chosen[Int(self[index].integer(0)) - 1].append(Int32(index)) }
        return chosen.map { Rows($0, of: received, columnsBefore: columnsBefore + 1) }
    }

    /// The number of rows.
    package var count: Int { chosen?.count ?? Int(library.PQntuples(result)) }

    /// The number of rows that the statement inserted, changed, deleted or returned.
    package var changed: Int {
        library.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The command as the server names it, such as `COMMIT`.
    var command: String { library.PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// A row, counted from 0.
    package subscript(index: Int) -> Row {
        precondition((0..<count).contains(index), "there is no such row")
        return Row(rows: self, index: chosen?[index] ?? Int32(index))
    }

    /// The first row; `nil` where there is none.
    package var first: Row? { count > 0 ? self[0] : nil }

    /// The rows, each by `body`.
    package func map<Value, Failure>(
        _ body: (Row) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        var values: [Value] = []
        for index in 0..<count { values.append(try body(self[index])) }
        return values
    }

    fileprivate func type(_ column: Int) -> UInt32 {
        let column = columnsBefore + column
        precondition((0..<Int(library.PQnfields(result))).contains(column), "no such column")
        return library.PQftype(result, Int32(column))
    }

    /// The bytes of a value, as they came; `nil` for `NULL`.
    fileprivate func value(_ row: Int32, _ column: Int) -> UnsafeRawBufferPointer? {
        let column = Int32(columnsBefore + column)
        guard library.PQgetisnull(result, row, column) == 0 else { return nil }
        let length = Int(library.PQgetlength(result, row, column))
        return UnsafeRawBufferPointer(
            start: library.PQgetvalue(result, row, column),
            count: length
        )
    }
}

/// A row of an answer. Columns are counted from 0.
package struct Row {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// Whether a column is `NULL`.
    package func isNull(_ column: Int) -> Bool {
        _ = rows.type(column)
        return rows.value(index, column) == nil
    }

    /// The integer in a column of `smallint`, `integer` or `bigint`; `nil` for `NULL`.
    package func optionalInteger(_ column: Int) -> Int64? {
        let type = rows.type(column)
        guard let bytes = rows.value(index, column) else { return nil }
        switch type {
        case TypeNumber.integer64: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case TypeNumber.integer32:
            return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case TypeNumber.integer16:
            return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default: preconditionFailure("the column is no integer")
        }
    }

    /// The integer in a column that is not `NULL`.
    package func integer(_ column: Int) -> Int64 { present(optionalInteger(column)) }

    /// The truth value in a column that is not `NULL`.
    package func boolean(_ column: Int) -> Bool {
        precondition(rows.type(column) == TypeNumber.boolean, "the column is no truth value")
        return present(rows.value(index, column))[0] != 0
    }

    /// The text in a column; `nil` for `NULL`.
    package func optionalText(_ column: Int) -> String? {
        let type = rows.type(column)
        precondition(
            type == TypeNumber.text || type == TypeNumber.variableText,
            "the column is no text"
        )
        return rows.value(index, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The text in a column that is not `NULL`.
    package func text(_ column: Int) -> String { present(optionalText(column)) }

    /// The bytes in a column; `nil` for `NULL`.
    package func optionalBytes(_ column: Int) -> [UInt8]? {
        precondition(rows.type(column) == TypeNumber.bytes, "the column has no bytes")
        return rows.value(index, column).map { Array($0) }
    }

    /// The bytes in a column that is not `NULL`.
    package func bytes(_ column: Int) -> [UInt8] { present(optionalBytes(column)) }

    private func present<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("the column is NULL") }
        return value
    }
}
