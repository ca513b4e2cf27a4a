/// The header of a write-ahead log (<https://sqlite.org/fileformat2.html#wal_file_format>).
struct LogHeader: Hashable {
    /// The length in bytes.
    static let length = 32
    /// The magic number of a log whose checksums read words with the lowest byte first.
    private static let magic: UInt32 = 0x377F_0682
    private static let version: UInt32 = 3_007_000
    /// The bytes that the header's checksum covers; the checksum follows them.
    private static let covered = 24

    private(set) var bytes: [UInt8]

    /// - Parameter bytes: The first ``length`` bytes of a log.
    init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.length)
        self.bytes = bytes
    }

    /// Whether checksums read words with the highest byte first.
    var isBigEndian: Bool { bytes[3] & 1 == 1 }

    /// The salts of the log's generation: the frames of one generation have the same salts.
    var salts: [UInt8] { Array(bytes[16..<24]) }

    var checksum: LogChecksum { LogChecksum(stored: bytes[Self.covered...]) }

    /// - Parameter pageSize: The database's page size in bytes.
    func isValid(pageSize: Int) -> Bool {
        LogWords.integer(bytes[0..<4]) == Self.magic | (isBigEndian ? 1 : 0)
            && LogWords.integer(bytes[4..<8]) == Self.version
            && Int(LogWords.integer(bytes[8..<12])) == pageSize
            && LogChecksum().adding(words(isBigEndian: isBigEndian)) == checksum
    }

    /// The valid header that differs from this one in one byte; `nil` where none or several do.
    func mended(pageSize: Int) -> LogHeader? {
        var found: Set<LogHeader> = []
        func look(_ offset: Int, _ bytes: [UInt8]) {
            var header = self
            header.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            if header.isValid(pageSize: pageSize) { found.insert(header) }
        }
        for isBigEndian in [false, true] {
            let words = words(isBigEndian: isBigEndian)
            let sum = LogChecksum().adding(words)
            if sum.isWithinOneByte(of: checksum) { look(Self.covered, sum.stored) }
            for correction in LogChecksum().corrections(of: words, endingIn: checksum) {
                look(
                    4 * correction.index,
                    LogWords.bytes(ofWord: correction.word, isBigEndian: isBigEndian)
                )
            }
        }
        return found.count == 1 ? found.first : nil
    }

    private func words(isBigEndian: Bool) -> [UInt32] {
        LogWords.words(bytes[..<Self.covered], isBigEndian: isBigEndian)
    }
}
