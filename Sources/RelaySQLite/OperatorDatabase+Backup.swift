import DurableFiles
import LibC
import Outbox
public import OutboxCore
public import RelayServer
import SQLite

extension OperatorDatabase {
    /// Copies the database and the key into a new folder, while the relay may be running.
    ///
    /// The copy of the database is of one moment: it has every transaction that was committed before
    /// the moment, and none of a later one. It holds no deleted rows. Writers do not wait for it
    /// (<https://sqlite.org/lang_vacuum.html#vacuuminto>). The key is copied afterwards, so that it
    /// opens whatever the copy has.
    ///
    /// The folder appears under its path when it is whole and synced. Until then it has the name
    /// `PATH.unfinished-` and six characters, which only a killed process leaves behind.
    ///
    /// - Parameter folder: The path of the folder, whose parent exists. The folder gets mode 0700,
    ///   its files 0600.
    /// - Returns: The size of the copied database, and the memos that were accepted behind its moment.
    /// - Throws: ``BackupError``. Then no folder is left, and the relay's data is as it was.
    /// - Complexity: O(database).
    @discardableResult
    public func backUp(to folder: String) throws(BackupError) -> BackupReport {
        try readKeys(for: folder)
        guard faccessat(AT_FDCWD, folder, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { throw .exists }
        var template = Array("\(folder).unfinished-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .cannotCreate(code: errno) }
        var copy = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        do throws(BackupError) {
            let size = try copyDatabase(to: copy + "/relay.sqlite")
            let missing = try missing(from: copy + "/relay.sqlite")
            try copyKey(to: copy + "/key")
            guard syncFolder(of: copy + "/key") else { throw .cannotCreate(code: errno) }
            guard rename(copy, folder) == 0 else { throw Self.renamingFailure(code: errno) }
            copy = folder
            guard syncFolder(of: folder) else { throw .cannotCreate(code: errno) }
            return BackupReport(bytes: size, missing: missing)
        } catch {
            for name in ["relay.sqlite", "relay.sqlite-journal", "key", "key.new"] {
                unlink("\(copy)/\(name)")
            }
            rmdir(copy)
            throw error
        }
    }

    /// The memos that the database has and a copy of it has not, in the order in which they were accepted.
    ///
    /// - Complexity: O(memos).
    func missing(from copy: String) throws(BackupError) -> [OperationID] {
        // A copy in the mode of the original gets files by being read, which a backup has none of.
        defer { for name in ["-wal", "-shm"] { unlink(copy + name) } }
        do throws(OperatorError) {
            return try read { database in
                try database.run("ATTACH DATABASE ? AS copy", .text(copy))
                defer { try? database.execute("DETACH DATABASE copy") }
                return try database.query(
                    """
                    SELECT id FROM main.memo WHERE NOT EXISTS (
                        SELECT 1 FROM copy.memo AS copied
                        WHERE copied.account = memo.account AND copied.id = memo.id)
                    ORDER BY accepted_at, id
                    """
                ) { try OperationID(column: $0.blob(0)) }
            }
        } catch {
            throw .relay(error)
        }
    }

    private func readKeys(for folder: String) throws(BackupError) {
        do {
            try readKeys()
        } catch {
            throw .relay(error)
        }
    }

    private func copyDatabase(to path: String) throws(BackupError) -> Int64 {
        // SQLite takes an empty file in place of a new one, and keeps its mode.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(code: errno) }
        defer { close(descriptor) }
        do {
            _ = try read { database in try database.run("VACUUM INTO ?", .text(path)) }
        } catch {
            throw .relay(error)
        }
        guard fsync(descriptor) == 0 else { throw .cannotCreate(code: errno) }
        return Int64(lseek(descriptor, 0, SEEK_END))
    }

    private func copyKey(to path: String) throws(BackupError) {
        do throws(KeyStoreError) {
            guard let bytes = try KeyFile(path: keyPath).read() else { throw .missing }
            guard try KeyFile(path: path).add(bytes) else { throw .cannotCreate(code: EEXIST) }
        } catch {
            if case .cannotCreate(let code) = error { throw .cannotCreate(code: code) }
            throw .relay(.key(error))
        }
    }

    private static func renamingFailure(code: Int32) -> BackupError {
        [EEXIST, ENOTEMPTY, ENOTDIR].contains(code) ? .exists : .cannotCreate(code: code)
    }
}

/// A backup that was made.
public struct BackupReport: Hashable, Sendable {
    /// The size of the copied database, in bytes.
    public let bytes: Int64
    /// The memos that the relay accepted while the backup was made, and that the copy does not hold.
    public let missing: [OperationID]
}

/// The reason why a backup was not made.
public enum BackupError: Error, Hashable, Sendable {
    /// Something stands at the path of the backup.
    case exists
    /// The folder, or a file in it, cannot be made or synced; with the system's error number.
    case cannotCreate(code: Int32)
    /// The database or the key cannot be copied.
    case relay(OperatorError)
}
