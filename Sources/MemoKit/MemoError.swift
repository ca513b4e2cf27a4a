#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Why the device could not do what was asked.
///
/// Each case carries where to look, never what the person wrote: an error is safe to print and log.
public enum MemoError: Error, Hashable, Sendable {
    /// The memo is empty or only white space.
    case emptyMemo
    /// The memo's bytes are not UTF-8.
    case notUTF8
    /// The memo holds a NUL character, which mail cannot carry.
    case containsNUL
    /// The memo is longer than `limit` bytes of UTF-8.
    case tooLong(limit: Int)

    /// The environment names no folder to keep memos in.
    case noDataFolder
    /// The data folder, or the disk it is on, cannot be written.
    case readOnly(String)
    /// The disk that holds the data folder is full.
    case diskFull(String)
    /// The data folder cannot be made or entered; `code` is the system's `errno`.
    case folderUnusable(String, code: Int32)

    /// The key file exists and cannot be read.
    case keyUnreadable(String)
    /// The key file may be read by others.
    case keyPermissions(String)
    /// The key file does not hold a key.
    case keyDamaged(String)
    /// There is no key file, and data was sealed with one before.
    case keyMissing(String)
    /// The key that sealed the stored data is not the one in the key file.
    case wrongKey(String)

    /// Another process kept the database locked.
    case busy
    /// The database file is damaged or not a database.
    case databaseDamaged(String)
    /// The database was written by a newer build.
    case databaseTooNew(String)
    /// Another failure of the database; `code` is SQLite's extended result code.
    case storage(code: Int32)

    /// There is no operation with this identifier.
    case unknownOperation
    /// A stored entry is damaged: no key will open it.
    case entryDamaged
    /// The stored account is damaged: no key will open it.
    case accountDamaged
    /// Another process has the role of delivering, and does not answer.
    case agentSilent
    /// Nobody is signed in.
    case noAccount
    /// The program that delivers could not be started; `code` is the system's `errno`.
    case agentNotStarted(code: Int32)

    /// The error for a system call on the data folder that failed with `errno`.
    init(folder: String, errno code: Int32) {
        switch code {
        case EROFS, EACCES, EPERM: self = .readOnly(folder)
        case ENOSPC, EDQUOT: self = .diskFull(folder)
        default: self = .folderUnusable(folder, code: code)
        }
    }

    /// How a process ends that met this error.
    public var exitStatus: ExitStatus {
        switch self {
        case .emptyMemo, .notUTF8, .containsNUL, .tooLong, .unknownOperation: .badInput
        case .noAccount, .agentNotStarted: .unavailable
        case .noDataFolder, .readOnly, .folderUnusable: .cannotCreate
        case .diskFull, .databaseDamaged, .databaseTooNew, .storage, .entryDamaged,
            .accountDamaged:
            .ioError
        case .busy, .agentSilent: .temporaryFailure
        case .keyUnreadable, .keyPermissions, .keyDamaged, .keyMissing, .wrongKey: .noPermission
        }
    }

    /// The process exit code for this error.
    public var exitCode: Int32 { exitStatus.rawValue }
}

extension MemoError: CustomStringConvertible {
    /// What happened and what to do about it, in a sentence or two for a person.
    public var description: String {
        switch self {
        case .emptyMemo:
            "The memo is empty, so there is nothing to send."
        case .notUTF8:
            "The memo is not valid UTF-8 text. Nothing was sent; convert it and send it again."
        case .containsNUL:
            "The memo contains a NUL character, which mail cannot carry. Nothing was sent."
        case .tooLong(let limit):
            "The memo is longer than \(limit) bytes. Nothing was sent; shorten or split it."
        case .noDataFolder:
            "There is no folder to keep memos in. Set HOME, or MEMO_HOME to a folder of yours."
        case .readOnly(let path):
            "\(path) cannot be written. Nothing was stored; keep the text, and make it writable."
        case .diskFull(let path):
            "The disk that holds \(path) is full. Nothing was stored; keep the text, and free space."
        case .folderUnusable(let path, let code):
            "\(path) cannot be used (\(Self.message(for: code))). Nothing was stored; keep the text."
        case .keyUnreadable(let path):
            "The key file \(path) cannot be read. Nothing was changed; allow its owner to read it."
        case .keyPermissions(let path):
            "The key file \(path) may be read by others. Nothing was changed; run: chmod 600 '\(path)'"
        case .keyDamaged(let path):
            "The key file \(path) does not hold a key. Nothing was changed; restore it from a backup."
        case .keyMissing(let path):
            "The key file \(path) is gone, and stored data needs it. Nothing was changed; restore it "
                + "from a backup, or move the whole folder away to start afresh."
        case .wrongKey(let path):
            "The stored data was sealed with another key than \(path). It is kept as it is; "
                + "restore the right key file."
        case .busy:
            "The memo database stayed locked by another process. Nothing was stored; try again."
        case .databaseDamaged(let path):
            "\(path) is damaged or not a database. It was left as it is; restore it from a backup "
                + "or move it away."
        case .databaseTooNew(let path):
            "\(path) was written by a newer version of Simple Memo. Nothing was changed; update."
        case .storage(let code):
            "The memo database failed (SQLite code \(code)). Nothing was stored; keep the text."
        case .unknownOperation:
            "There is no such entry in the outbox."
        case .entryDamaged:
            "The entry is damaged and cannot be read. It is kept as it is and is not sent; "
                + "restore the database from a backup, or delete the entry."
        case .accountDamaged:
            "The stored account is damaged and cannot be read. Memos stay stored; sign in again with: "
                + "memo login ADDRESS"
        case .agentSilent:
            "Another memo-agent has the role of delivering and does not answer. Stored memos stay "
                + "stored; end that process, or try again later."
        case .noAccount:
            "Nobody is signed in. Run: memo login ADDRESS"
        case .agentNotStarted(let code):
            "The delivering program could not be started (\(Self.message(for: code))). "
                + "The memo is stored and leaves with the next start of: memo agent"
        }
    }

    private static func message(for code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
