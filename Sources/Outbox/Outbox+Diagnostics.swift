public import OutboxCore

/// An entry as a person is shown it: bookkeeping, never content.
public struct OutboxEntry: Sendable {
    /// Its name in this storage.
    public let entryID: EntryID
    /// `nil` only in an entry too damaged to name its operation.
    public let id: OperationID?
    /// Where it stands.
    public let state: OperationState
    /// `nil` when it cannot be read.
    public let envelope: Envelope?
    /// Why it is quarantined; `nil` in any other state.
    public let quarantineReason: QuarantineReason?
}

extension Outbox {
    /// Entries in `state`, oldest first, from the one after `last` on.
    public func entries(
        in state: OperationState,
        after last: EntryID? = nil,
        limit: Int = 100
    ) throws -> [OutboxEntry] {
        try storage.entries(in: state, after: last, limit: limit).map(Self.entry)
    }

    /// The entry of an operation, in whatever state it is; `nil` when it is not, or no longer, here.
    public func entry(for id: OperationID) throws -> OutboxEntry? {
        try storage.entry(for: id).map(Self.entry)
    }

    /// How many entries there are in each state.
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

    /// Makes one operation eligible at once, from any state.
    ///
    /// - Throws: ``OutboxError/notFound(_:)``; ``UnreadableRecord`` when the entry still cannot be
    ///   read, which leaves it quarantined.
    public func retry(_ id: OperationID) throws {
        guard let entry = try storage.entry(for: id) else { throw OutboxError.notFound(id) }
        let envelope = try read(entry).envelope
        try storage.requeue(entry.id, as: envelope.madeEligible())
        log(OutboxEvent(.requeued, envelope))
        wake()
    }

    /// Makes every queued and parked operation eligible at once.
    public func retryAll() throws {
        for cause in [WaitCause.backoff, .network, .server] { try storage.endWaits(for: cause) }
        try requeueParked { _ in true }
        wake()
    }

    /// Makes eligible what was parked for `reason`.
    public func retryParked(reason: ReasonCode) throws {
        try requeueParked { $0.lastError == reason }
        wake()
    }

    /// Deletes one operation for good. Only a person decides this.
    ///
    /// An attempt that is under way is not recalled.
    public func delete(_ id: OperationID) throws {
        guard let entry = try storage.entry(for: id) else { throw OutboxError.notFound(id) }
        try delete(entry)
    }

    /// Deletes one entry for good, also one that is too damaged to name its operation. One that is
    /// not, or no longer, there is not an error.
    public func delete(_ id: EntryID) throws {
        guard let entry = try stored(id) else { return }
        try delete(entry)
    }

    /// An entry with its bytes as they are stored, for a person who takes a copy of what cannot be
    /// read before deciding about it. The payload in it is sealed, if it ever was.
    ///
    /// - Returns: `nil` when it is not, or no longer, there.
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
            orderingKey: envelope.orderingKey,
            payload: payload
        )
        return (envelope, operation)
    }

    func requeueParked(where isWanted: (Envelope) -> Bool) throws {
        var last: EntryID?
        while true {
            let parked = try storage.entries(in: .parked, after: last, limit: 100)
            for entry in parked {
                if let envelope = try? Envelope(decoding: entry.envelope), isWanted(envelope) {
                    try storage.requeue(entry.id, as: envelope.madeEligible())
                    log(OutboxEvent(.requeued, envelope))
                }
            }
            guard let end = parked.last?.id else { return }
            last = end
        }
    }

    private func delete(_ entry: StoredEntry) throws {
        try storage.delete(entry.id)
        let kind = (try? Envelope(decoding: entry.envelope))?.kind
        log(OutboxEvent(.deleted, id: entry.operationID, kind: kind))
        watch.changed()
        // What it held up in its lane may be eligible now.
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
