import CSQLite

/// The current row of a running query. Valid only inside the closure that received it.
public struct Row: ~Copyable {
    let statement: OpaquePointer

    /// The integer in `column`, counted from 0; 0 for NULL.
    public func integer(_ column: Int) -> Int64 {
        sqlite3_column_int64(statement, Int32(column))
    }

    /// The number in `column`; 0 for NULL.
    public func real(_ column: Int) -> Double {
        sqlite3_column_double(statement, Int32(column))
    }

    /// The bytes in `column`; empty for NULL.
    public func blob(_ column: Int) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        guard count > 0, let bytes = sqlite3_column_blob(statement, Int32(column)) else {
            return []
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// The text in `column`, ill-formed UTF-8 repaired; empty for NULL.
    public func text(_ column: Int) -> String {
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        guard count > 0, let bytes = sqlite3_column_text(statement, Int32(column)) else {
            return ""
        }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Whether `column` holds bytes: not text, a number, or NULL.
    public func isBlob(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_BLOB
    }

    /// Whether `column` is NULL.
    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    /// The text in `column`; `nil` for NULL.
    public func optionalText(_ column: Int) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// The bytes in `column`; `nil` for NULL.
    public func optionalBlob(_ column: Int) -> [UInt8]? {
        isNull(column) ? nil : blob(column)
    }

    /// The integer in `column`; `nil` for NULL.
    public func optionalInteger(_ column: Int) -> Int64? {
        isNull(column) ? nil : integer(column)
    }
}
