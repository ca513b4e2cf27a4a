import LibC
import Synchronization

/// The locks of the drafts that composers are writing.
///
/// Each draft has a number, and its composer locks the byte of that number in one file. The system
/// unlocks the byte when the composer's process ends: its draft is then an interrupted one.
///
/// The composers of one process share one open file, and exclude each other by a set of numbers: on
/// Darwin a lock belongs to the process, and each closing of the file frees all locks of the process
/// (fcntl(2)). They have to name the folder alike.
final class DraftLock: Sendable {
    /// A file that this process has open.
    private struct LockFile {
        let descriptor: Int32
        var users = 0
        /// The numbers that composers of this process have.
        var taken: Set<Int64> = []
    }

    /// The open files, by path.
    private static let files = Mutex<[String: LockFile]>([:])

    private let path: String
    /// The numbers that this object has.
    private let own = Mutex<Set<Int64>>([])

    /// - Throws: ``MemoError`` when the file can neither be opened nor made.
    init(folder: DataFolder) throws(MemoError) {
        path = folder.draftLock
        let code: Int32 = Self.files.withLock { [path] files in
            if files[path] == nil {
                let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard descriptor >= 0 else { return errno }
                files[path] = LockFile(descriptor: descriptor)
            }
            files[path]?.users += 1
            return 0
        }
        guard code == 0 else { throw MemoError(folder: folder.path, errno: code) }
    }

    deinit {
        // Not by closing alone. A process that another thread is just starting has the same file open
        // until it runs its own program, which would keep the locks.
        for number in own.withLock({ $0 }) { free(number) }
        Self.files.withLock { files in
            guard let file = files[path] else { return }
            files[path]?.users -= 1
            guard file.users == 1 else { return }
            close(file.descriptor)
            files[path] = nil
        }
    }

    /// Locks the byte of `number` until it is freed, or this object ends.
    ///
    /// - Returns: `false` when another composer has it.
    func take(_ number: Int64) -> Bool {
        let isTaken = Self.files.withLock { files in
            guard let file = files[path], !file.taken.contains(number),
                Self.lock(F_WRLCK, number, in: file)
            else { return false }
            files[path]?.taken.insert(number)
            return true
        }
        if isTaken { own.withLock { _ = $0.insert(number) } }
        return isTaken
    }

    /// Unlocks the byte of `number`, which this object has taken.
    func free(_ number: Int64) {
        own.withLock { _ = $0.remove(number) }
        Self.files.withLock { files in
            guard let file = files[path] else { return }
            _ = Self.lock(F_UNLCK, number, in: file)
            files[path]?.taken.remove(number)
        }
    }

    private static func lock(_ type: Int32, _ number: Int64, in file: LockFile) -> Bool {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(number)
        range.l_len = 1
        while fcntl(file.descriptor, setLock, &range) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    // The tests of Apple's side run on a Linux that has Security, with the locks of Darwin.
    #if canImport(Security)
        private static let setLock = F_SETLK
    #else
        /// `F_OFD_SETLK`: owned by the open file rather than by the process, so that no other use of
        /// the file in this process frees the lock (fcntl(2)).
        private static let setLock: Int32 = 37
    #endif
}
