import CSQLite
import LibC

/// A file of five words beside a database, `PATH-sync`, in which the connections of all processes
/// record what the syncs of the log have brought to the disk, and which syncs have failed.
///
/// - A connection records its synced commit before it tells anybody of the commit. So the frames
///   that the record does not name hold no commit that anybody knows to be durable, and can be
///   written again: a power cut meanwhile takes nothing that was promised. Two exceptions: an older
///   record, written at the same moment, replaces a newer one; the first commit of a new database.
/// - A connection whose sync has failed records that at once. The log is in doubt as long as the
///   last failure is not the one that was mended last. Connections look under the write lock.
///
/// Each word is true at any later time, or recognised as not: the file needs no lock and no sync.
/// Where there can be no such file, each connection knows only of its own syncs.
struct SyncRecord: ~Copyable {
    private enum Word: Int {
        case salts, frames, check, failure, mended
    }

    private static let length = 5 * MemoryLayout<UInt64>.size
    /// Makes a file of zeros, or of anything else, no record of a synced log.
    private static let checkStart: UInt64 = 0x6D65_6D6F_2D73_796E

    private let file: Int32

    /// Opens the record of the database that `connection` has open. Makes the file if need be.
    init(of connection: OpaquePointer) {
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else {
            file = -1
            return
        }
        file = open("\(String(cString: name))-sync", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        // The words have their blocks on the disk before it is full.
        let length = lseek(file, 0, SEEK_END)
        let missing = [UInt8](repeating: 0, count: max(0, Self.length - Int(length)))
        if length >= 0, !missing.isEmpty { _ = pwrite(file, missing, missing.count, length) }
    }

    deinit {
        if file >= 0 { close(file) }
    }

    /// The part of the log that some sync has brought to the disk; `nil` if that is not known.
    var synced: SyncedLog? {
        guard let words, words[Word.check.rawValue] == Self.check(words[0], words[1]) else {
            return nil
        }
        return SyncedLog(frames: Int(truncatingIfNeeded: words[1]), salts: words[0])
    }

    /// Records that a sync has brought this part of the log to the disk.
    func note(_ synced: SyncedLog) {
        let frames = UInt64(synced.frames)
        write([synced.salts, frames, Self.check(synced.salts, frames)], at: .salts)
    }

    /// Whether nothing has been recorded yet, though it could be.
    var isEmpty: Bool { words?.allSatisfy { $0 == 0 } ?? false }

    /// The last failure that has not been mended; `nil` if there is none.
    var doubt: UInt64? {
        guard let words else { return nil }
        let failure = words[Word.failure.rawValue]
        return failure == words[Word.mended.rawValue] ? nil : failure
    }

    /// Records that a sync has failed.
    func noteFailure() {
        write([UInt64.random(in: .min ... .max)], at: .failure)
    }

    /// Records that the log has been written again and synced since `failure` was read.
    func noteMended(_ failure: UInt64) {
        write([failure], at: .mended)
    }

    private static func check(_ salts: UInt64, _ frames: UInt64) -> UInt64 {
        (checkStart ^ salts) &* 0x9E37_79B9_7F4A_7C15 ^ frames &* 0xBF58_476D_1CE4_E5B9
    }

    private var words: [UInt64]? {
        guard file >= 0 else { return nil }
        var words = [UInt64](repeating: 0, count: 5)
        let count = words.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        return count == Self.length ? words : nil
    }

    private func write(_ words: [UInt64], at word: Word) {
        guard file >= 0 else { return }
        let offset = off_t(word.rawValue * MemoryLayout<UInt64>.size)
        _ = words.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, offset) }
    }
}

/// The part of a log that a sync has brought to the disk.
struct SyncedLog: Hashable {
    let frames: Int
    /// The salts of the log's generation.
    let salts: UInt64

    func isOfGeneration(of index: DatabaseFiles.Index) -> Bool { salts == index.salts }

    /// Whether the part begins the generation after that of `index`: it has fewer frames, and each
    /// generation adds one to the first salt.
    func begins(after index: DatabaseFiles.Index) -> Bool {
        frames <= index.frames && Self.number(salts) == Self.number(index.salts) &+ 1
    }

    private static func number(_ salts: UInt64) -> UInt32 {
        withUnsafeBytes(of: salts) { UInt32(bigEndian: $0.load(as: UInt32.self)) }
    }
}
