import Outbox

extension MemoBox {
    /// Closes the box: ends a drain of its outbox, closes its files, and frees every lock of it.
    ///
    /// An app on an iPhone calls this before it is suspended. From then on every other call of this
    /// object throws; a new box of the same folder goes on with the drafts by
    /// ``continueDraft(_:of:)``.
    ///
    /// A failure loses no memo and no draft, and is not an error.
    ///
    /// - Returns: The stored drafts of this box's composers, without such as cannot be read.
    public func close() async -> [ComposerID: ClosedDraft] {
        let drafts = drafts.release()
        await outbox.close()
        // Nothing can be stored under a key any more.
        keys.locks.close()
        return drafts
    }

    /// Goes on writing the draft of a box that was closed. Does nothing when the draft has been sent,
    /// replaced or taken over by another composer meanwhile: the next text is then a new draft.
    ///
    /// - Parameters:
    ///   - draft: The draft, of ``close()``.
    ///   - composer: The composer, which has no draft yet.
    /// - Throws: ``MemoError`` when the database or the lock cannot be used.
    public func continueDraft(
        _ draft: ClosedDraft,
        of composer: ComposerID = .only
    ) throws(MemoError) {
        try translatingErrors { try drafts[composer].claim(draft) }
    }
}
