import CSQLite
import LibC

/// Keeps finished transactions that SQLite's recovery would drop, in silence, because a frame of
/// the log before them is damaged.
///
/// 1. A connection looks when it opens, before it can write: the next commit overwrites the dropped
///    frames, and every connection that commits has opened before. Ordinarily a look is one system
///    call, for the log's length.
/// 2. Under the write lock the log is examined (``LogExamination``). If one byte of a frame is
///    wrong, and the frame's checksum says which, the byte is corrected, and SQLite recovers anew.
/// 3. Otherwise a copy of the log is set aside, durably. Only then the frames behind the log's end
///    are cut off, so that no later look finds them.
///
/// The log is read in pieces (``DatabaseFiles/longestPiece``), however long it is.
extension Connection {
    func keepDroppedCommits(of path: String) throws(SQLiteError) {
        guard let files = DatabaseFiles(handle) else { return }
        var isMendable = true
        while try mayHaveDroppedCommits(files) {
            do throws(SQLiteError) {
                try run("BEGIN IMMEDIATE")
            } catch {
                // No process can overwrite the log here; or another connection writes, and has
                // looked before.
                guard error.isReadOnly || error.isBusy else { throw error }
                return
            }
            do throws(SQLiteError) {
                let isMended = try examineLog(files, path, isMendable: isMendable)
                // Not ROLLBACK, which takes the index for valid.
                try run("COMMIT")
                guard isMended else { return }
                isMendable = false
            } catch {
                _ = try? run("ROLLBACK")
                throw error
            }
        }
    }

    /// Refuses a file without a whole page: SQLite takes it for a new database, and deletes the log
    /// beside it.
    static func refuseEmptied(_ path: String) throws(SQLiteError) {
        var (log, database) = (stat(), stat())
        // The log first: a database that is being made has its first page before it has a log.
        guard stat("\(path)-wal", &log) == 0 else { return }
        let isThere = stat(path, &database) == 0
        if isThere ? database.st_size < 512 : log.st_size > 0 {
            throw SQLiteError(code: SQLITE_CORRUPT)
        }
    }

    /// Cuts off the bytes behind the log's end, so that no frame of a refused commit is left. The
    /// write lock must be held.
    func cutLogAtItsEnd() throws(SQLiteError) {
        guard let files = DatabaseFiles(handle), let index = try files.index() else { return }
        try cutLog(files, index)
    }

    /// Writes the frames of the log once more, as they are read, without those of `synced` if
    /// `synced` is of the log's generation. The write lock must be held.
    func rewriteLog(after synced: SyncedLog?) throws(SQLiteError) {
        guard let files = DatabaseFiles(handle), let index = try files.index(), index.frames > 0
        else { return }
        let first = synced?.salts == index.salts ? synced?.frames ?? 0 : 0
        // The header goes with the first frame.
        var start = first == 0 ? 0 : index.start(ofFrame: first + 1)
        for frame in stride(from: first + 1, through: index.frames, by: 1) {
            let end = index.start(ofFrame: frame + 1)
            try files.writeLog(files.logBytes(start..<end), at: start)
            start = end
        }
    }

    /// The salts of the log's present generation.
    func logSalts() throws(SQLiteError) -> UInt64? {
        try DatabaseFiles(handle)?.index()?.salts
    }

    /// Whether there are frames behind the end of the log that may be of the log's generation.
    private func mayHaveDroppedCommits(_ files: DatabaseFiles) throws(SQLiteError) -> Bool {
        let length = try files.logLength()
        guard length > LogHeader.length else { return false }
        guard let index = try files.index(), index.frames > 0 else { return true }
        let count = LogImage.frameCount(length: length, pageSize: index.pageSize)
        for frame in stride(from: index.frames + 1, through: count, by: 1) {
            let start = index.start(ofFrame: frame)
            let salts = try files.logBytes(start + 8..<start + 16).withUnsafeBytes {
                $0.load(as: UInt64.self)
            }
            // One half is enough: the other half may be damaged.
            let difference = salts ^ index.salts
            if difference >> 32 == 0 || UInt32(truncatingIfNeeded: difference) == 0 { return true }
        }
        return false
    }

    /// - Returns: Whether the log was corrected, and is to be examined again.
    private func examineLog(
        _ files: DatabaseFiles,
        _ path: String,
        isMendable: Bool
    ) throws(SQLiteError) -> Bool {
        guard let index = try files.index() else { return false }
        // The page with the database's header may be in the log only.
        let pageSize = index.frames > 0 ? index.pageSize : try files.pageSize()
        guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return false }
        let length = try files.logLength()
        let log = try LogImage(files, length: length, pageSize: pageSize)
        var examination = LogExamination(log, recovered: index.frames)
        switch try examination.finding() {
        case .nothing:
            return false
        case .mendable(let corrections) where isMendable:
            for (offset, byte) in corrections.sorted(by: { $0.key < $1.key }) {
                try files.writeLog([byte], at: offset)
            }
            try files.syncLog()
            try files.dropIndex()
            return true
        case .mendable, .dropped:
            try SetAsideLog.keep(files, length, of: path)
            try cutLog(files, index)
            try files.syncLog()
            return false
        }
    }

    private func cutLog(
        _ files: DatabaseFiles,
        _ index: DatabaseFiles.Index
    ) throws(SQLiteError) {
        let length = index.frames == 0 ? 0 : index.start(ofFrame: index.frames + 1)
        if try files.logLength() > length { try files.cutLog(to: length) }
    }
}
