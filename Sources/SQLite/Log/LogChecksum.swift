/// The checksum of the write-ahead log (<https://sqlite.org/fileformat2.html#checksum_algorithm>):
/// two sums over words of 32 bits, which run from the log's header through all of its frames.
struct LogChecksum: Hashable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    /// Continues the checksum over `words`. Their number must be even.
    mutating func add(_ words: [UInt32]) {
        var index = 0
        while index < words.count {
            first = first &+ words[index] &+ second
            second = second &+ words[index + 1] &+ first
            index += 2
        }
    }

    /// Reads a stored checksum: eight bytes.
    init(stored bytes: ArraySlice<UInt8>) {
        first = LogWords.integer(bytes.prefix(4))
        second = LogWords.integer(bytes.dropFirst(4))
    }

    init() {}

    /// The checksum as a log stores it.
    var stored: [UInt8] { LogWords.bytes(first) + LogWords.bytes(second) }

    func adding(_ words: [UInt32]) -> LogChecksum {
        var sum = self
        sum.add(words)
        return sum
    }

    /// Whether no more than one of the eight bytes differs.
    func isWithinOneByte(of other: LogChecksum) -> Bool {
        let (first, second) = (first ^ other.first, second ^ other.second)
        return first == 0 ? second.isWithinOneByte : second == 0 && first.isWithinOneByte
    }

    /// A word that would be right in place of the one at `index`.
    struct Correction: Hashable {
        let index: Int
        let word: UInt32
    }

    /// Every change of one byte of `words` with which this checksum, continued over them, becomes
    /// `end`.
    ///
    /// The sums are linear: a difference in one word reaches the end multiplied by two successive
    /// Fibonacci numbers, which depend only on the word's index, and of which one is odd. So each
    /// index allows one difference. Random bytes allow a change of one byte once in 10^13 times.
    /// But little of a word's high bits reaches the end (modulo 2^32), so that a difference there
    /// may look like one in some other words: then there are several changes.
    func corrections(of words: [UInt32], endingIn end: LogChecksum) -> [Correction] {
        let computed = adding(words)
        let wanted = (end.first &- computed.first, end.second &- computed.second)
        guard wanted != (0, 0) else { return [] }
        var corrections: [Correction] = []
        func look(at index: Int, _ factors: (UInt32, UInt32)) {
            let difference =
                factors.0 & 1 == 1
                ? wanted.0 &* factors.0.inverse : wanted.1 &* factors.1.inverse
            guard difference &* factors.0 == wanted.0, difference &* factors.1 == wanted.1 else {
                return
            }
            let word = words[index] &+ difference
            if (word ^ words[index]).isWithinOneByte {
                corrections.append(Correction(index: index, word: word))
            }
        }
        func carry(_ factors: (UInt32, UInt32)) -> (UInt32, UInt32) {
            (factors.0 &+ factors.1, factors.0 &+ factors.1 &+ factors.1)
        }
        var (ofFirst, ofSecond): ((UInt32, UInt32), (UInt32, UInt32)) = ((1, 1), (0, 1))
        for index in stride(from: words.count - 2, through: 0, by: -2) {
            look(at: index, ofFirst)
            look(at: index + 1, ofSecond)
            (ofFirst, ofSecond) = (carry(ofFirst), carry(ofSecond))
        }
        return corrections
    }
}

/// The integers of a log: its fields have the highest byte first, the words under its checksums
/// have the byte order that the log's header names.
enum LogWords {
    static func integer(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func bytes(_ integer: UInt32) -> [UInt8] {
        withUnsafeBytes(of: integer.bigEndian) { Array($0) }
    }

    /// - Parameter bytes: Bytes under a checksum. Their number is a multiple of 8.
    static func words(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt32] {
        let words = [UInt32](unsafeUninitializedCapacity: bytes.count / 4) { words, count in
            count = bytes.count / 4
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(words).copyMemory(from: $0) }
        }
        let isHostBigEndian = UInt32(bigEndian: 1) == 1
        return isBigEndian == isHostBigEndian ? words : words.map(\.byteSwapped)
    }

    /// The bytes of a word under a checksum.
    static func bytes(ofWord word: UInt32, isBigEndian: Bool) -> [UInt8] {
        bytes(isBigEndian ? word : word.byteSwapped)
    }
}

extension UInt32 {
    /// Whether all bits that are set are in one byte.
    fileprivate var isWithinOneByte: Bool {
        leadingZeroBitCount / 8 + trailingZeroBitCount / 8 >= 3
    }

    /// The inverse of an odd number modulo 2^32. Each round doubles the number of right bits.
    fileprivate var inverse: UInt32 {
        var inverse = self
        for _ in 0..<4 { inverse = inverse &* (2 &- self &* inverse) }
        return inverse
    }
}
