internal import Outbox
public import OutboxCore
internal import OutboxSQLite
internal import RelayAPI
internal import SQLite

extension MemoBox {
    /// Entries of the outbox, the oldest first: what is queued, then what is parked or quarantined.
    ///
    /// - Parameter limit: The most entries of each state.
    public func outboxItems(limit: Int = 100) throws(MemoError) -> [OutboxItem] {
        try translatingErrors {
            try OperationState.allCases.flatMap { state in
                try outbox.entries(in: state, limit: limit).map { OutboxItem($0) }
            }
        }
    }

    /// The bookkeeping of one entry.
    ///
    /// - Throws: ``MemoError/unknownOperation`` when it is not, or no longer, in the outbox.
    public func outboxItem(_ id: OperationID) throws(MemoError) -> OutboxItem {
        try translatingErrors {
            guard let entry = try outbox.entry(for: id) else { throw MemoError.unknownOperation }
            return OutboxItem(entry)
        }
    }

    /// How many entries there are in each state.
    ///
    /// - Complexity: O(entries).
    public func outboxCount() throws(MemoError) -> OutboxCount {
        try translatingErrors {
            let counts = try outbox.counts()
            return OutboxCount(
                queued: counts.queued,
                parked: counts.parked,
                quarantined: counts.quarantined
            )
        }
    }

    /// The memo of an outbox entry.
    ///
    /// - Throws: ``MemoError/unknownOperation``; ``MemoError/wrongKey(_:)`` when it does not open.
    public func outboxText(_ id: OperationID) throws(MemoError) -> String {
        try translatingErrors {
            let operation = try outbox.open(id)
            guard operation.kind == .memo else { throw MemoError.unknownOperation }
            return try RelayJSON.decode(MemoRequest.self, from: operation.payload).text
        }
    }

    /// Makes an entry eligible at once, a parked one too. Call ``summonAgent()`` afterwards.
    ///
    /// - Throws: ``MemoError/unknownOperation``; ``MemoError/wrongKey(_:)`` when the entry still
    ///   cannot be read, which leaves it quarantined.
    public func retry(_ id: OperationID) throws(MemoError) {
        try translatingErrors {
            try outbox.retry(id)
            try storage.write { connection in
                _ = try connection.run(
                    """
                    UPDATE memo_history SET status = 'queued', reason = NULL
                    WHERE id = ? AND status = 'refused'
                    """,
                    .blob(id.bytes)
                )
            }
        }
    }

    /// Makes every queued and parked entry eligible at once. Call ``summonAgent()`` afterwards.
    public func retryAll() throws(MemoError) {
        try translatingErrors {
            try outbox.retryAll()
            try storage.write { connection in
                _ = try connection.run(
                    """
                    UPDATE memo_history SET status = 'queued', reason = NULL
                    WHERE status = 'refused'
                    """
                )
            }
        }
    }

    /// Deletes an entry for good; its history entry stays, as deleted.
    ///
    /// An attempt that is under way is not recalled: its memo may still arrive.
    ///
    /// - Throws: ``MemoError/unknownOperation`` when it is not, or no longer, in the outbox.
    public func delete(_ id: OperationID) throws(MemoError) {
        try translatingErrors {
            try outbox.delete(id)
            try storage.write { connection in
                _ = try connection.run(
                    """
                    UPDATE memo_history SET status = 'deleted', reason = NULL
                    WHERE id = ? AND status <> 'sent'
                    """,
                    .blob(id.bytes)
                )
            }
        }
    }
}

extension OutboxItem {
    fileprivate init(_ entry: OutboxEntry) {
        id = entry.id
        number = entry.entryID.rawValue
        kind = entry.envelope?.kind
        createdAt = entry.envelope?.createdAt
        attempts = entry.envelope?.attemptCount ?? 0
        switch entry.state {
        case .queued:
            state = .queued
            let due = entry.envelope?.nextEligibleAt ?? .distantPast
            nextEligibleAt = due > .distantPast ? due : nil
            reason = entry.envelope?.lastError?.description
        case .parked:
            state = .parked
            nextEligibleAt = nil
            reason = entry.envelope?.lastError?.description
        case .quarantined:
            state = .quarantined
            nextEligibleAt = nil
            reason = entry.quarantineReason?.rawValue
        }
    }
}
