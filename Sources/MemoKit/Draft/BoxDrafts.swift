import OutboxSQLite
import SQLite
import Synchronization

/// The drafts of the composers that use one box.
///
/// Safe to use from any thread.
final class BoxDrafts: Sendable {
    private let folder: DataFolder
    private let storage: SQLiteStorage
    private let drafts = Mutex<[ComposerID: BoxDraft]>([:])

    init(folder: DataFolder, storage: SQLiteStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// The draft of a composer, which may have claimed none.
    subscript(composer: ComposerID) -> BoxDraft {
        drafts.withLock { drafts in
            let draft = drafts[composer] ?? BoxDraft(folder: folder, storage: storage)
            drafts[composer] = draft
            return draft
        }
    }

    /// Lets go of a composer's draft.
    func end(_ composer: ComposerID) {
        _ = drafts.withLock { $0.removeValue(forKey: composer) }
    }

    /// Deletes all drafts that no running composer has.
    ///
    /// - Returns: Their number.
    func discardAll() throws -> Int {
        let numbers = try storage.read { connection in
            try connection.query("SELECT number FROM memo_draft", row: { $0.integer(0) })
        }
        guard !numbers.isEmpty else { return 0 }
        let lock = try DraftLock(folder: folder)
        let free = numbers.filter { lock.take($0) }
        try storage.write { connection in
            for number in free { try BoxDraft.delete(number, in: connection) }
        }
        return free.count
    }

    /// Lets go of all claimed drafts.
    ///
    /// - Returns: Those that are stored, without such as cannot be read.
    func release() -> [ComposerID: ClosedDraft] {
        drafts.withLock { drafts in
            defer { drafts = [:] }
            return drafts.compactMapValues { try? $0.release() }
        }
    }
}
