import Outbox
import OutboxCore
import OutboxSQLite

/// The draft that a box was writing when it was closed.
public struct ClosedDraft: Hashable, Sendable {
    let number: Int64
    /// The identifier under which the draft was sealed last: another text has another one.
    let id: OperationID
}

extension MemoBox {
    /// Closes the box: ends a drain of its outbox, closes its files, and frees every lock of it.
    ///
    /// An app on an iPhone calls this before it is suspended. From then on every other call of this
    /// object throws; a new box of the same folder goes on with the draft by
    /// ``continueDraft(_:)``.
    ///
    /// A failure loses no memo and no draft, and is not an error.
    ///
    /// - Returns: The stored draft of this box; `nil` for none, and when it cannot be read.
    public func close() async -> ClosedDraft? {
        let draft = try? ownDraft.release()
        await outbox.close()
        // Nothing can be stored under a key any more.
        keys.locks.close()
        return draft
    }

    /// Goes on writing the draft of a box that was closed. Does nothing when the draft has been sent,
    /// replaced or taken over by another composer meanwhile: the next text is then a new draft.
    ///
    /// - Throws: ``MemoError`` when the database or the lock cannot be used.
    public func continueDraft(_ draft: ClosedDraft) throws(MemoError) {
        try translatingErrors { try ownDraft.claim(draft) }
    }
}
