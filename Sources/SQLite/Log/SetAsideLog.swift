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
    static func keep(_ bytes: [UInt8], of path: String) throws(SQLiteError) {
        let present = all(of: path)
        if let last = present.last, contents(of: last) == bytes { return }
        let number = present.last?.split(separator: "-").last.flatMap { Int($0) } ?? 0
        let name = path + infix + "\(number + 1)"
        // An unfinished copy has a name that ``all(of:)`` does not list.
        let unfinished = path + infix + "new"
        let file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure() }
        let isWritten = writeFully(bytes, to: file) && fsync(file) == 0
        guard isWritten, rename(unfinished, name) == 0 else {
            let error = failure()
            close(file)
            unlink(unfinished)
            throw error
        }
        close(file)
        guard syncFolder(of: name) else { throw failure() }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    private static func contents(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += piece.prefix(count)
        }
    }

    private static func failure() -> SQLiteError {
        switch errno {
        case ENOSPC, EDQUOT: SQLiteError(code: SQLITE_FULL)
        case EROFS, EACCES, EPERM: SQLiteError(code: SQLITE_READONLY)
        default: SQLiteError(code: SQLITE_IOERR)
        }
    }
}
