extension Outbox {
    /// Closes this outbox and its storage. An app calls this before it moves, replaces or deletes
    /// the storage's files, and before it ends.
    ///
    /// ```swift
    /// await outbox.close()
    /// try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
    /// ```
    ///
    /// In this order:
    /// 1. A running ``drain(_:until:)`` of this object ends in the same way as when its task is
    ///    cancelled: the drain cancels the handlers, waits for them, and records their deliveries.
    /// 2. Sequences of ``states(patience:recheck:)`` end.
    /// 3. Every `enqueue` that began earlier returns or throws. A later `enqueue` throws.
    /// 4. The storage waits for running calls, and closes its files.
    ///
    /// When this returns, this object has no file of the storage open, on any thread. From then on
    /// every call that needs the storage throws ``StorageError/closed``. No enqueued operation is
    /// lost. A second call waits for the same end and is not an error.
    ///
    /// Other outboxes on the same storage object throw the same error. Their drains end with this
    /// error and do not record the outcomes of their handlers; those operations are attempted again
    /// later. Close these outboxes or cancel their drains first. Outboxes with another storage
    /// object over the same files are not affected.
    ///
    /// Ignores task cancellation. Waits until every cancelled handler returns. A handler must not
    /// await this method: the handler would wait for itself.
    public func close() async {
        await drains.close()
        watch.close()
        await committer.close()
        storage.close()
    }
}
