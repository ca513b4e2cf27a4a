import CSQLite
import LibC

/// The files of an open database, through the methods by which SQLite itself reads and writes them:
/// a descriptor of our own, when closed, would release SQLite's locks
/// (<https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>).
struct DatabaseFiles {
    /// The content of the index of the log
    /// (<https://sqlite.org/walformat.html#the_wal_index_header>).
    struct Index: Hashable {
        /// The number of frames that recovery took, and of those appended since.
        var frames = 0
        /// The page size in bytes; 0 when recovery had no frames to take.
        var pageSize = 0
        /// The eight bytes of both salts, in their order in memory.
        var salts: UInt64 = 0

        /// The offset of a frame in the log. Frames count from 1; the frame after the last begins
        /// at the log's end.
        func start(ofFrame frame: Int) -> Int {
            LogImage.offset(of: frame, pageSize: pageSize)
        }
    }

    /// The length of the longest piece that is read at a time: a log's header and a frame with the
    /// largest page. So the memory for a file does not grow with the file's length.
    static let longestPiece = LogHeader.length + LogImage.frameHeaderLength + 65_536
    private static let indexHeaderLength = 48
    /// `SQLITE_IOERR_SHORT_READ`.
    private static let shortRead = SQLITE_IOERR | (2 << 8)

    private let database: UnsafeMutablePointer<sqlite3_file>
    private let log: UnsafeMutablePointer<sqlite3_file>

    /// - Returns: `nil` for a database without a log.
    init?(_ connection: OpaquePointer) {
        guard let database = Self.file(SQLITE_FCNTL_FILE_POINTER, of: connection),
            let log = Self.file(SQLITE_FCNTL_JOURNAL_POINTER, of: connection)
        else { return nil }
        self.database = database
        self.log = log
    }

    private static func file(
        _ which: Int32,
        of connection: OpaquePointer
    ) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", which, &file) == SQLITE_OK,
            file?.pointee.pMethods != nil
        else { return nil }
        return file
    }

    // MARK: The index of the log

    /// - Returns: `nil` while the index is being written.
    func index() throws(SQLiteError) -> Index? {
        let memory = UnsafeRawBufferPointer(
            start: try indexMemory(),
            count: 2 * Self.indexHeaderLength
        )
        return withUnsafeTemporaryAllocation(byteCount: memory.count, alignment: 8) { header in
            header.copyMemory(from: memory)
            let start = header.baseAddress!
            let length = Self.indexHeaderLength
            guard memcmp(start, start + length, length) == 0 else { return nil }
            let size = Int(header.load(fromByteOffset: 14, as: UInt16.self))
            return Index(
                frames: Int(header.load(fromByteOffset: 16, as: UInt32.self)),
                // 2^16 is stored as 1.
                pageSize: size & 0xFE00 | (size & 1) << 16,
                salts: header.load(fromByteOffset: 32, as: UInt64.self)
            )
        }
    }

    /// Makes the next reader, in any process, recover the log anew. The write lock must be held.
    func dropIndex() throws(SQLiteError) {
        let memory = try indexMemory()
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * Self.indexHeaderLength)
    }

    /// The memory of the index, as SQLite has mapped it.
    private func indexMemory() throws(SQLiteError) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        try check(database.pointee.pMethods.pointee.xShmMap(database, 0, 32 * 1024, 0, &memory))
        guard let memory else { throw SQLiteError(code: SQLITE_IOERR) }
        return memory
    }

    // MARK: The log

    func logLength() throws(SQLiteError) -> Int {
        var length: sqlite3_int64 = 0
        try check(log.pointee.pMethods.pointee.xFileSize(log, &length))
        return Int(length)
    }

    func logBytes(_ range: Range<Int>) throws(SQLiteError) -> [UInt8] {
        try Self.bytes(range, of: log)
    }

    func writeLog(_ bytes: [UInt8], at offset: Int) throws(SQLiteError) {
        let code = bytes.withUnsafeBytes {
            log.pointee.pMethods.pointee.xWrite(
                log,
                $0.baseAddress,
                Int32($0.count),
                sqlite3_int64(offset)
            )
        }
        try check(code)
    }

    func cutLog(to length: Int) throws(SQLiteError) {
        try check(log.pointee.pMethods.pointee.xTruncate(log, sqlite3_int64(length)))
    }

    func syncLog() throws(SQLiteError) {
        try check(log.pointee.pMethods.pointee.xSync(log, SQLITE_SYNC_FULL))
    }

    // MARK: The database

    /// The page size in the header of the database
    /// (<https://sqlite.org/fileformat2.html#page_size>).
    func pageSize() throws(SQLiteError) -> Int {
        let bytes = try databaseBytes(16..<18)
        let size = Int(bytes[0]) << 8 | Int(bytes[1])
        return size == 1 ? 1 << 16 : size
    }

    func databaseLength() throws(SQLiteError) -> Int {
        var length: sqlite3_int64 = 0
        try check(database.pointee.pMethods.pointee.xFileSize(database, &length))
        return Int(length)
    }

    func databaseBytes(_ range: Range<Int>) throws(SQLiteError) -> [UInt8] {
        try Self.bytes(range, of: database)
    }

    /// Bytes of a file, no more than ``longestPiece``. Bytes beyond the file's end read as zeros.
    private static func bytes(
        _ range: Range<Int>,
        of file: UnsafeMutablePointer<sqlite3_file>
    ) throws(SQLiteError) -> [UInt8] {
        precondition(range.count <= longestPiece)
        var bytes = [UInt8](repeating: 0, count: range.count)
        let code = file.pointee.pMethods.pointee.xRead(
            file,
            &bytes,
            Int32(range.count),
            sqlite3_int64(range.lowerBound)
        )
        guard code == SQLITE_OK || code == Self.shortRead else {
            throw SQLiteError(code: code)
        }
        return bytes
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }
}
