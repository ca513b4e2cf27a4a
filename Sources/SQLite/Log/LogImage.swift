/// A write-ahead log (<https://sqlite.org/fileformat2.html#the_write_ahead_log>) as its file has it,
/// with the corrections that were made here.
///
/// The log is read frame by frame. Only the corrections are held, so that the memory does not grow
/// with the log's length.
struct LogImage {
    static let frameHeaderLength = 24
    /// SQLite numbers frames with 32 bits. No offset of such a frame overflows an `Int`.
    private static let mostFrames = Int(UInt32.max)
    /// The largest number of frames that are corrected. A log in which more frames are damaged is
    /// not mended.
    private static let mostCorrectedFrames = 1000

    /// The bytes in front of a page.
    struct FrameHeader {
        fileprivate let bytes: [UInt8]

        /// The number of the page. No page has the number 0.
        var page: UInt32 { LogWords.integer(bytes[0..<4]) }
        /// Whether a transaction ends with the frame.
        var isCommit: Bool { bytes[4..<8].contains { $0 != 0 } }
        /// The salts of the frame's generation.
        var salts: [UInt8] { Array(bytes[8..<16]) }
        /// The checksum over the log up to the frame's end.
        var checksum: LogChecksum { LogChecksum(stored: bytes[16..<24]) }
    }

    /// The number of whole frames that the log has room for, whatever it holds.
    let frameCount: Int
    private(set) var header: LogHeader
    /// Whether checksums read words with the highest byte first.
    var isBigEndian: Bool
    private let files: DatabaseFiles
    private let pageSize: Int
    /// The corrected bytes of a frame, or of the header as frame 0, by their offsets in it.
    private var corrected: [Int: [Int: UInt8]] = [:]

    /// - Parameters:
    ///   - length: The length of the log in bytes.
    ///   - pageSize: The database's page size in bytes, which does not change in WAL mode.
    init(_ files: DatabaseFiles, length: Int, pageSize: Int) throws(SQLiteError) {
        self.files = files
        self.pageSize = pageSize
        frameCount = Self.frameCount(length: length, pageSize: pageSize)
        header = LogHeader(try files.logBytes(0..<LogHeader.length))
        isBigEndian = header.isBigEndian
    }

    static func frameCount(length: Int, pageSize: Int) -> Int {
        min(max(0, length - LogHeader.length) / (frameHeaderLength + pageSize), mostFrames)
    }

    /// The offset of a frame in a log. Frames count from 1; frame 0 is the log's header.
    static func offset(of frame: Int, pageSize: Int) -> Int {
        frame == 0 ? 0 : LogHeader.length + (frame - 1) * (frameHeaderLength + pageSize)
    }

    /// The corrected bytes by their offsets in the log.
    var corrections: [Int: UInt8] {
        var corrections: [Int: UInt8] = [:]
        for (frame, bytes) in corrected {
            let start = Self.offset(of: frame, pageSize: pageSize)
            for (offset, byte) in bytes { corrections[start + offset] = byte }
        }
        return corrections
    }

    /// Whether one more frame may be corrected.
    var hasRoomForCorrection: Bool { corrected.count < Self.mostCorrectedFrames }

    // MARK: Frames

    func frame(_ frame: Int) throws(SQLiteError) -> FrameHeader {
        FrameHeader(bytes: try bytes(0..<Self.frameHeaderLength, of: frame))
    }

    /// The words of a frame that its checksum covers.
    func words(of frame: Int) throws(SQLiteError) -> [UInt32] {
        let bytes = try bytes(0..<Self.frameHeaderLength + pageSize, of: frame)
        return LogWords.words(bytes[..<8], isBigEndian: isBigEndian)
            + LogWords.words(bytes[Self.frameHeaderLength...], isBigEndian: isBigEndian)
    }

    /// The checksum stored in a frame or, for frame 0, in the log's header.
    func checksum(of frame: Int) throws(SQLiteError) -> LogChecksum {
        try frame == 0 ? header.checksum : self.frame(frame).checksum
    }

    /// Whether the frame follows on the frame before it, by the checksums stored in both.
    func follows(_ frame: Int) throws(SQLiteError) -> Bool {
        try checksum(of: frame - 1).adding(words(of: frame)) == checksum(of: frame)
    }

    /// Whether the frame's page has the frame's content in the database.
    func isInDatabase(_ frame: Int) throws(SQLiteError) -> Bool {
        let page = Int(try self.frame(frame).page)
        guard page > 0 else { return false }
        let content = Self.frameHeaderLength..<Self.frameHeaderLength + pageSize
        let start = (page - 1) * pageSize
        return try files.databaseBytes(start..<start + pageSize) == bytes(content, of: frame)
    }

    /// The number of pages in the database.
    func databasePages() throws(SQLiteError) -> Int {
        min(try files.databaseLength() / pageSize, Int(UInt32.max))
    }

    private func bytes(_ range: Range<Int>, of frame: Int) throws(SQLiteError) -> [UInt8] {
        let start = Self.offset(of: frame, pageSize: pageSize)
        var bytes = try files.logBytes(start + range.lowerBound..<start + range.upperBound)
        for (offset, byte) in corrected[frame, default: [:]] where range.contains(offset) {
            bytes[offset - range.lowerBound] = byte
        }
        return bytes
    }

    // MARK: Corrections

    /// Gives a frame the salts of the log's generation.
    mutating func setSalts(of frame: Int) throws(SQLiteError) {
        try set(header.salts, at: 8, of: frame)
    }

    mutating func setChecksum(_ checksum: LogChecksum, of frame: Int) throws(SQLiteError) {
        try set(checksum.stored, at: 16, of: frame)
    }

    mutating func apply(
        _ correction: LogChecksum.Correction,
        to frame: Int
    ) throws(SQLiteError) {
        let gap = correction.index < 2 ? 0 : Self.frameHeaderLength - 8
        let word = LogWords.bytes(ofWord: correction.word, isBigEndian: isBigEndian)
        try set(word, at: gap + 4 * correction.index, of: frame)
    }

    /// Corrects the header, if one byte of it is wrong.
    ///
    /// - Returns: Whether the header is right now.
    mutating func mendHeader() throws(SQLiteError) -> Bool {
        guard let mended = header.mended(pageSize: pageSize) else { return false }
        try set(mended.bytes, at: 0, of: 0)
        header = mended
        isBigEndian = mended.isBigEndian
        return true
    }

    var isHeaderValid: Bool { header.isValid(pageSize: pageSize) }

    private mutating func set(
        _ new: [UInt8],
        at offset: Int,
        of frame: Int
    ) throws(SQLiteError) {
        let present = try bytes(offset..<offset + new.count, of: frame)
        for index in new.indices where new[index] != present[index] {
            corrected[frame, default: [:]][offset + index] = new[index]
        }
    }
}
