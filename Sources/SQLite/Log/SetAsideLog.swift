import CSQLite
import DurableFiles
import LibC

/// A copy of a write-ahead log from which finished transactions could not be recovered, because it
/// was damaged.
///
/// A copy lies beside the database, as `PATH-damaged-1` and so on, with mode 0600. Bytes that are
/// sealed in the log are sealed in the copy. A copy stays until somebody deletes it.
public enum SetAsideLog {
    private static let infix = "-damaged-"

    /// The copies beside the database at `path`, the oldest first.
    ///
    /// - Complexity: O(files in the folder).
    public static func all(of path: String) -> [String] {
        let (folder, name) = split(path)
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let found = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard found.hasPrefix(name + infix),
                let number = Int(found.dropFirst(name.count + infix.count)), number > 0
            else { continue }
            numbers.append(number)
        }
        return numbers.sorted().map { path + infix + "\($0)" }
    }

    /// Makes a copy, durable on return, unless the last copy holds the same bytes.
    ///
    /// The copy takes no room on the disk where the log holds only zeros.
    ///
    /// - Parameter length: The length of the log in bytes.
    /// - Complexity: O(`length`) in time; in memory two pieces.
    static func keep(
        _ files: DatabaseFiles,
        _ length: Int,
        of path: String
    ) throws(SQLiteError) {
        let present = all(of: path)
        if let last = present.last, try isCopy(last, of: files, length) { return }
        let number = present.last?.split(separator: "-").last.flatMap { Int($0) } ?? 0
        let name = path + infix + "\(number + 1)"
        // An unfinished copy has a name that ``all(of:)`` does not list.
        let unfinished = path + infix + "new"
        let file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        do throws(SQLiteError) {
            try write(files, length, to: file)
            guard fsync(file) == 0, rename(unfinished, name) == 0 else { throw failure() }
        } catch {
            unlink(unfinished)
            throw error
        }
        guard syncFolder(of: name) else { throw failure() }
    }

    private static func write(
        _ files: DatabaseFiles,
        _ length: Int,
        to file: Int32
    ) throws(SQLiteError) {
        guard ftruncate(file, off_t(length)) == 0 else { throw failure() }
        let zeros = [UInt8](repeating: 0, count: DatabaseFiles.longestPiece)
        for range in pieces(of: length) {
            let bytes = try files.logBytes(range)
            if memcmp(bytes, zeros, bytes.count) == 0 { continue }
            guard lseek(file, off_t(range.lowerBound), SEEK_SET) >= 0,
                writeFully(bytes, to: file)
            else { throw failure() }
        }
    }

    /// Whether the file at `path` holds the bytes of the log.
    private static func isCopy(
        _ path: String,
        of files: DatabaseFiles,
        _ length: Int
    ) throws(SQLiteError) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard lseek(file, 0, SEEK_END) == off_t(length), lseek(file, 0, SEEK_SET) == 0 else {
            return false
        }
        for range in pieces(of: length) {
            var copied = [UInt8](repeating: 0, count: range.count)
            guard readFully(file, into: &copied) else { return false }
            let bytes = try files.logBytes(range)
            guard memcmp(bytes, copied, bytes.count) == 0 else { return false }
        }
        return true
    }

    private static func pieces(of length: Int) -> some Sequence<Range<Int>> {
        stride(from: 0, to: length, by: DatabaseFiles.longestPiece).lazy.map {
            $0..<$0 + min(length - $0, DatabaseFiles.longestPiece)
        }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    private static func failure() -> SQLiteError {
        switch errno {
        case ENOSPC, EDQUOT: SQLiteError(code: SQLITE_FULL)
        case EROFS, EACCES, EPERM: SQLiteError(code: SQLITE_READONLY)
        default: SQLiteError(code: SQLITE_IOERR)
        }
    }
}
