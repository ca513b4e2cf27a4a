import LibC
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

extension MemoError {
    /// The meaning of a failure of the layers below for a person.
    package init(_ error: any Error, folder: DataFolder) {
        switch error {
        case let error as MemoError: self = error
        case let error as StorageError: self.init(error, folder: folder)
        case let error as SQLiteError: self.init(error, folder: folder)
        case let error as KeyStoreError: self.init(error, folder: folder)
        case let error as UnreadableRecord:
            self = error.reason == .unknownKey ? .wrongKey(folder.keyLocation) : .entryDamaged
        case OutboxError.payloadTooLong: self = .tooLong(limit: MemoBox.maximumTextLength)
        case OutboxError.notFound: self = .unknownOperation
        case OutboxError.drainedElsewhere: self = .agentSilent
        default: self = .storage(cause: "\(type(of: error))")
        }
    }

    private static func storage(sqlite code: Int32) -> MemoError {
        .storage(cause: "SQLite \(code)")
    }

    private init(_ error: StorageError, folder: DataFolder) {
        switch error {
        case .diskFull: self = .diskFull(folder.path)
        case .readOnly: self = .readOnly(folder.path)
        case .cannotOpen: self = Self.cannotOpen(folder)
        case .corrupt: self = .databaseDamaged(folder.database)
        case .busy: self = .busy
        case .duplicate, .closed: self = .storage(cause: "\(ReasonCode(failure: error))")
        case .failed(Self.noSharedMemory): self = .folderLacksLocks(folder.path)
        case .failed(Self.noRoomForSharedMemory): self = .diskFull(folder.path)
        case .failed(let code): self = .storage(sqlite: code)
        }
    }

    private init(_ error: SQLiteError, folder: DataFolder) {
        if error.isDiskFull {
            self = .diskFull(folder.path)
        } else if error.isReadOnly {
            self = .readOnly(folder.path)
        } else if error.isCannotOpen {
            self = Self.cannotOpen(folder)
        } else if error.isCorrupt {
            self = .databaseDamaged(folder.database)
        } else if error.code == Self.noSharedMemory {
            self = .folderLacksLocks(folder.path)
        } else if error.code == Self.noRoomForSharedMemory {
            self = .diskFull(folder.path)
        } else if error.isBusy {
            self = .busy
        } else {
            self = .storage(sqlite: error.code)
        }
    }

    private init(_ error: KeyStoreError, folder: DataFolder) {
        switch error {
        case .missing:
            self = folder.keyHome == KeyHome.keyring ? .keyringItemMissing : .keyMissing(folder.key)
        case .unreadable(code: ENOLCK), .unreadable(code: ENOSYS), .unreadable(code: EOPNOTSUPP):
            self = .folderLacksLocks(folder.path)
        case .unreadable: self = .keyUnreadable(folder.key)
        case .withheld(.locked): self = .keyringLocked
        case .withheld: self = .keyringUnreachable
        case .permissionsTooWide: self = .keyPermissions(folder.key)
        case .malformed: self = .keyDamaged(folder.key)
        case .cannotCreate(let code): self = MemoError(folder: folder.path, errno: code)
        }
    }

    /// `SQLITE_IOERR_SHMMAP`: https://www.sqlite.org/rescode.html#ioerr_shmmap
    private static let noSharedMemory: Int32 = 5386
    /// `SQLITE_IOERR_SHMSIZE`, which may mean that the volume is full:
    /// https://www.sqlite.org/rescode.html#ioerr_shmsize
    private static let noRoomForSharedMemory: Int32 = 4874

    /// SQLite says neither why nor which: the database or one of the two files beside it. Making a
    /// file of our own tells.
    private static func cannotOpen(_ folder: DataFolder) -> MemoError {
        if access(folder.database, F_OK) == 0, access(folder.database, R_OK | W_OK) != 0 {
            return .readOnly(folder.database)
        }
        let probe = folder.path + "/probe.\(getpid())"
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return MemoError(folder: folder.path, errno: errno) }
        close(descriptor)
        unlink(probe)
        return .folderUnusable(folder.database, code: EIO)
    }
}
