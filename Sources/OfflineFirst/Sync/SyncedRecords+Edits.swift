public import SyncCore

// What a person does to records. Each call is one durable transaction, and shows what it did when it
// returns. A call that throws has changed nothing.
extension SyncedRecords {
    /// Makes several edits in one transaction, with tables of the app if it likes.
    ///
    /// ```swift
    /// try records.change { edits in
    ///     let list = try edits.create("list", [Field("title", "Saturday")])
    ///     _ = try edits.create("item", [Field("name", "milk"), Field("list", to: list)])
    ///     try edits.database.run("INSERT INTO recent(list) VALUES (?)", .blob(list.id))
    /// }
    /// ```
    ///
    /// - Parameter body: The edits. It runs under the lock of these records and of the database, and calls
    ///   neither this object nor the outbox.
    /// - Returns: The result of `body`.
    /// - Throws: ``SyncError``; ``SyncError/app(type:)`` for another error of `body`.
    /// - Complexity: O(log *n*) for each edit of *n* records, and one wait for the disk. While a refused
    ///   change waits for a person, O(*p*) for *p* pending changes.
    @discardableResult
    public func change<Result>(
        _ body: (inout SyncTransaction<Rules>) throws -> Result
    ) throws(SyncError) -> Result {
        try transact(body)
    }

    /// Creates a record, which is shown at once.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - values: The fields.
    /// - Returns: The record's name, with a temporary identifier, which leads to the record also after the
    ///   server has given its own.
    /// - Throws: ``SyncError``.
    @discardableResult
    public func create(_ kind: String, _ values: [Field]) throws(SyncError) -> RecordKey {
        try transact { try $0.create(kind, values) }
    }

    /// Writes fields of a record. Values that are as they were are left out; if none is left, nothing
    /// happens.
    ///
    /// - Parameters:
    ///   - key: The record, also by its former temporary identifier.
    ///   - values: The fields to write; the others stay.
    /// - Throws: ``SyncError``.
    public func update(_ key: RecordKey, _ values: [Field]) throws(SyncError) {
        try transact { try $0.update(key, values) }
    }

    /// Makes a record exist with these fields: brings a deleted record back, or makes one under a name that
    /// all devices know, such as a person's settings. A record that is shown is updated.
    ///
    /// - Parameters:
    ///   - key: The record.
    ///   - values: All fields.
    /// - Throws: ``SyncError``.
    public func put(_ key: RecordKey, _ values: [Field]) throws(SyncError) {
        try transact { try $0.put(key, values) }
    }

    /// Deletes a record, which disappears at once. ``put(_:_:)`` brings it back.
    ///
    /// - Parameter key: The record, also by its former temporary identifier.
    /// - Throws: ``SyncError``.
    public func delete(_ key: RecordKey) throws(SyncError) {
        try transact { try $0.delete(key) }
    }
}
