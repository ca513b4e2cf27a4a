extension Outbox {
    /// Ends the use of this outbox and of its storage, for an app that moves, replaces or deletes
    /// the storage's files, or that ends.
    ///
    /// ```swift
    /// await outbox.close()
    /// try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
    /// ```
    ///
    /// In this order:
    /// 1. A running ``drain(_:until:)`` of this object ends as cancelling its task ends it:
    ///    handlers are cancelled and awaited, and what they delivered is recorded.
    /// 2. Sequences of ``states(patience:recheck:)`` end.
    /// 3. Every `enqueue` that began before is answered; one that
    ///    comes later throws.
    /// 4. The storage waits for calls that are under way, and closes its files.
    ///
    /// When this returns no file of the storage is open by this object, on any thread. From then on
    /// whatever needs the storage throws ``StorageError/closed``, and nothing that was enqueued is
    /// lost. Closing once more waits for the same end and is not an error.
    ///
    /// Other outboxes on the same storage object find it closed as well: they throw the same error,
    /// and a drain of theirs ends with it, without recording what its handlers come to, which is
    /// attempted again later. Close or cancel these first. Outboxes with another storage object
    /// over the same files are not concerned.
    ///
    /// Ignores task cancellation. Waits for as long as handlers take to return once they are
    /// cancelled; must not be awaited inside a handler, which would wait for itself.
    public func close() async {
        await drains.close()
        watch.close()
        await committer.close()
        storage.close()
    }
}
