import CSQLite

/// A failure that SQLite reported.
///
/// Holds the result code and nothing else: SQLite's message may quote values.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code (<https://sqlite.org/rescode.html>).
    public let code: Int32

    public init(code: Int32) {
        self.code = code
    }

    /// The low byte of ``code``: the class of the failure.
    public var primaryCode: Int32 { code & 0xFF }

    /// The disk, or the person's share of it, is full.
    public var isDiskFull: Bool { primaryCode == SQLITE_FULL }
    /// The database, or its folder, cannot be written.
    public var isReadOnly: Bool {
        primaryCode == SQLITE_READONLY || primaryCode == SQLITE_PERM
    }
    /// The file could not be opened or made.
    public var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }
    /// The file is not a database, or is damaged beyond SQLite's reading.
    public var isCorrupt: Bool {
        primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB
    }
    /// A constraint, such as uniqueness, refused a row.
    public var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Another connection held a lock for longer than the busy timeout.
    public var isBusy: Bool {
        primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED
    }

    public var description: String { "SQLite error \(code)" }
}
