public import OutboxCore

/// An entry that a program can show to a person. It contains bookkeeping, never content.
public struct OutboxEntry: Hashable, Sendable {
    /// The entry's number in its storage.
    public let entryID: EntryID
    /// The operation's identifier; `nil` when the entry is too damaged to name its operation.
    public let id: OperationID?
    /// The entry's state.
    public let state: OperationState
    /// The operation's bookkeeping; `nil` when the envelope cannot be read.
    public let envelope: Envelope?
    /// The reason of the quarantine; `nil` in any other state.
    public let quarantineReason: QuarantineReason?
}

extension Outbox {
    /// Lists the entries in `state` that follow the entry `last`, in the order of insertion.
    ///
    /// - Parameters:
    ///   - state: The state of all entries that are returned.
    ///   - last: The last entry of the previous list. `nil`: the list begins with the first entry.
    ///   - limit: The greatest number of entries to return.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(`limit`) with `SQLiteStorage`.
    public func entries(
        in state: OperationState,
        after last: EntryID? = nil,
        limit: Int = 100
    ) throws -> [OutboxEntry] {
        try storage.entries(in: state, after: last, limit: limit).map(Self.entry)
    }

    /// Looks up the entry of an operation, in any state.
    ///
    /// - Returns: `nil` when the storage holds no such operation.
    /// - Throws: ``StorageError``.
    public func entry(for id: OperationID) throws -> OutboxEntry? {
        try storage.entry(for: id).map(Self.entry)
    }

    /// Counts the entries in each state.
    ///
    /// - Throws: ``StorageError``.
    /// - Complexity: O(entries).
    public func counts() throws -> OutboxCounts {
        try storage.counts()
    }

    /// Opens the payload of a stored operation.
    ///
    /// - Throws: ``OutboxError/notFound(_:)``; ``UnreadableRecord``; ``KeyStoreError``.
    public func open(_ id: OperationID) throws -> OutboxOperation {
        guard let entry = try storage.entry(for: id) else { throw OutboxError.notFound(id) }
        return try read(entry).operation
    }

    /// Makes one operation in any state eligible at once.
    ///
    /// - Throws: ``OutboxError/notFound(_:)``; ``UnreadableRecord`` when the entry still cannot be
    ///   read; the entry then stays quarantined.
    public func retry(_ id: OperationID) throws {
        guard let entry = try storage.entry(for: id) else { throw OutboxError.notFound(id) }
        let envelope = try read(entry).envelope
        try storage.requeue(entry.id, as: envelope.madeEligible())
        log(OutboxEvent(.requeued, envelope))
        wake()
    }

    /// Makes every queued and parked operation eligible at once.
    public func retryAll() throws {
        for cause in [WaitCause.backoff, .network, .server] {
            try endLoggedWaits(for: cause, now: clock.wallTime())
        }
        try requeueParked { _ in true }
        wake()
    }

    /// Makes every operation eligible that is parked for `reason`.
    public func retryParked(reason: ReasonCode) throws {
        try requeueParked { $0.lastError == reason }
        wake()
    }

    /// Deletes one operation for good. Call this only when a person has decided so.
    ///
    /// A running attempt continues.
    public func delete(_ id: OperationID) throws {
        guard let entry = try storage.entry(for: id) else { throw OutboxError.notFound(id) }
        try delete(entry)
    }

    /// Deletes one entry for good. The entry may be too damaged to name its operation. A missing
    /// entry is not an error.
    public func delete(_ id: EntryID) throws {
        guard let entry = try stored(id) else { return }
        try delete(entry)
    }

    /// Reads an entry with its bytes as they are stored, so that a person can keep a copy of an
    /// unreadable entry before deleting it. The payload stays sealed.
    ///
    /// - Returns: `nil` when there is no such entry.
    /// - Throws: ``StorageError``.
    public func export(_ id: EntryID) throws -> StoredEntry? {
        try stored(id)
    }

    // MARK: -

    /// Checks and opens a stored entry.
    func read(_ entry: StoredEntry) throws -> (envelope: Envelope, operation: OutboxOperation) {
        guard let envelope = try? Envelope(decoding: entry.envelope),
            envelope.id == entry.operationID
        else { throw UnreadableRecord(reason: .envelope) }
        let payload = try sealer.open(
            entry.record,
            id: envelope.id,
            kind: envelope.kind,
            createdAt: envelope.createdAt
        )
        let operation = OutboxOperation(
            id: envelope.id,
            kind: envelope.kind,
            createdAt: envelope.createdAt,
            attemptCount: envelope.attemptCount,
            lastError: envelope.lastError,
            orderingKey: envelope.orderingKey,
            payload: payload
        )
        return (envelope, operation)
    }

    func requeueParked(where isWanted: (Envelope) -> Bool) throws {
        var last: EntryID?
        while true {
            let parked = try storage.envelopes(in: .parked, after: last, limit: 100)
            for stored in parked {
                if let envelope = try? Envelope(decoding: stored.bytes), isWanted(envelope) {
                    try storage.requeue(stored.entry, as: envelope.madeEligible())
                    log(OutboxEvent(.requeued, envelope))
                }
            }
            guard let end = parked.last?.entry else { return }
            last = end
        }
    }

    private func delete(_ entry: StoredEntry) throws {
        try storage.delete(entry.id)
        log(OutboxEvent(.deleted, entry))
        watch.changed()
        // The operations behind it in its lane may be eligible.
        wake()
    }

    private func stored(_ id: EntryID) throws -> StoredEntry? {
        guard id.rawValue > .min else { return nil }
        let before = EntryID(rawValue: id.rawValue - 1)
        for state in OperationState.allCases {
            let found = try storage.entries(in: state, after: before, limit: 1).first
            if let found, found.id == id { return found }
        }
        return nil
    }

    private static func entry(_ stored: StoredEntry) -> OutboxEntry {
        let envelope = try? Envelope(decoding: stored.envelope)
        return OutboxEntry(
            entryID: stored.id,
            id: stored.operationID ?? envelope?.id,
            state: stored.state,
            envelope: envelope,
            quarantineReason: stored.quarantineReason
        )
    }
}
