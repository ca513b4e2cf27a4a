/// The bytes of a write-ahead log (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
struct LogImage {
    static let headerLength = 32
    static let frameHeaderLength = 24
    /// The magic number of a log whose checksums read words with the lowest byte first.
    private static let magic: UInt32 = 0x377F_0682
    private static let version: UInt32 = 3_007_000

    private(set) var bytes: [UInt8]
    let pageSize: Int
    /// Whether checksums read words with the highest byte first.
    var isBigEndian: Bool

    /// - Parameter pageSize: The database's page size in bytes, which does not change in WAL mode.
    init(_ bytes: [UInt8], pageSize: Int) {
        self.bytes = bytes
        self.pageSize = pageSize
        isBigEndian = bytes.count > 3 && bytes[3] & 1 == 1
    }

    /// The number of whole frames that the log has room for, whatever it holds.
    var frameCount: Int {
        max(0, bytes.count - Self.headerLength) / (Self.frameHeaderLength + pageSize)
    }

    /// The offset of a frame. Frames count from 1.
    func offset(of frame: Int) -> Int {
        Self.headerLength + (frame - 1) * (Self.frameHeaderLength + pageSize)
    }

    func integer(at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes {
            UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
    }

    private mutating func setInteger(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(index)))
        }
    }

    func page(of frame: Int) -> UInt32 { integer(at: offset(of: frame)) }

    /// The bytes of the page that the frame holds.
    func content(of frame: Int) -> ArraySlice<UInt8> {
        let start = offset(of: frame) + Self.frameHeaderLength
        return bytes[start..<start + pageSize]
    }

    /// Whether a transaction ends with the frame.
    func isCommit(_ frame: Int) -> Bool { integer(at: offset(of: frame) + 4) != 0 }

    /// The salts of a frame: the frames of one generation have the same salts.
    func salts(of frame: Int) -> [UInt8] {
        let start = offset(of: frame) + 8
        return Array(bytes[start..<start + 8])
    }

    var salts: [UInt8] { Array(bytes[16..<24]) }

    mutating func setSalts(of frame: Int) {
        let start = offset(of: frame) + 8
        bytes.replaceSubrange(start..<start + 8, with: salts)
    }

    // MARK: Checksums

    private func words(_ range: Range<Int>) -> [UInt32] {
        let words = [UInt32](unsafeUninitializedCapacity: range.count / 4) { words, count in
            count = range.count / 4
            bytes[range].withUnsafeBytes {
                UnsafeMutableRawBufferPointer(words).copyMemory(from: $0)
            }
        }
        let isHostBigEndian = UInt32(bigEndian: 1) == 1
        return isBigEndian == isHostBigEndian ? words : words.map(\.byteSwapped)
    }

    /// The words of a frame that its checksum covers.
    func words(of frame: Int) -> [UInt32] {
        let start = offset(of: frame)
        let content = start + Self.frameHeaderLength
        return words(start..<start + 8) + words(content..<content + pageSize)
    }

    private func checksum(at offset: Int) -> LogChecksum {
        LogChecksum(first: integer(at: offset), second: integer(at: offset + 4))
    }

    /// The checksum stored in a frame or, for frame 0, in the log's header.
    func checksum(of frame: Int) -> LogChecksum {
        checksum(at: frame == 0 ? 24 : offset(of: frame) + 16)
    }

    mutating func setChecksum(_ checksum: LogChecksum, of frame: Int) {
        let start = frame == 0 ? 24 : offset(of: frame) + 16
        setInteger(checksum.first, at: start)
        setInteger(checksum.second, at: start + 4)
    }

    /// Whether the frame follows on the frame before it, by the checksums stored in both.
    func follows(_ frame: Int) -> Bool {
        checksum(of: frame - 1).adding(words(of: frame)) == checksum(of: frame)
    }

    mutating func apply(_ correction: LogChecksum.Correction, to frame: Int) {
        let start = offset(of: frame)
        let gap = correction.index < 2 ? 0 : Self.frameHeaderLength - 8
        setWord(correction.word, at: start + gap + 4 * correction.index)
    }

    private mutating func setWord(_ word: UInt32, at offset: Int) {
        setInteger(isBigEndian ? word : word.byteSwapped, at: offset)
    }

    // MARK: The log's header

    var isHeaderValid: Bool {
        bytes.count >= Self.headerLength
            && integer(at: 0) == Self.magic | (isBigEndian ? 1 : 0)
            && integer(at: 4) == Self.version && Int(integer(at: 8)) == pageSize
            && LogChecksum().adding(words(0..<24)) == checksum(of: 0)
    }

    /// Corrects the header, if one byte of it is wrong.
    ///
    /// - Returns: Whether the header is right now.
    mutating func mendHeader() -> Bool {
        guard bytes.count >= Self.headerLength, !isHeaderValid else {
            return bytes.count >= Self.headerLength
        }
        var mended: Set<[UInt8]> = []
        for isBigEndian in [false, true] {
            var image = self
            image.isBigEndian = isBigEndian
            let words = image.words(0..<24)
            let sum = LogChecksum().adding(words)
            if sum.isWithinOneByte(of: image.checksum(of: 0)) {
                var image = image
                image.setChecksum(sum, of: 0)
                if image.isHeaderValid { mended.insert(image.bytes) }
            }
            let corrections = LogChecksum().corrections(
                of: words,
                endingIn: image.checksum(of: 0)
            )
            for correction in corrections {
                var image = image
                image.setWord(correction.word, at: 4 * correction.index)
                if image.isHeaderValid { mended.insert(image.bytes) }
            }
        }
        guard mended.count == 1, let only = mended.first else { return false }
        bytes = only
        isBigEndian = bytes[3] & 1 == 1
        return true
    }
}
