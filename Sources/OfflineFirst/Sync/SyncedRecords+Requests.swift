import Outbox
import OutboxCore
import OutboxSQLite
import SyncCore
import Synchronization

// The requests of the process that synchronises, and the answers to them.
extension SyncedRecords {
    /// The next request of a record.
    enum Step {
        case push(PushRequest)
        case ask(AskRequest)
        /// Nothing of the record can be sent, or another call of this process is sending it and goes on.
        case nothing
    }

    /// Stores that a change is being sent, before it is.
    func begin(_ key: RecordKey) throws(SyncError) -> Step {
        try transact { transaction in
            let name = transaction.machine.name(key)
            let front = transaction.machine.record(name)?.changes.first { $0.state != .accepted }
            guard let front, !transaction.underWay.contains(front.id) else { return .nothing }
            let effects = transaction.machine.begin(name)
            transaction.effects += effects
            for effect in effects {
                if case .push(let request) = effect { return .push(request) }
                if case .ask(let question) = effect { return .ask(question) }
            }
            return .nothing
        }
    }

    /// Stores the answer to a push or a question, or that there is none.
    func tell(
        _ event: SyncEvent,
        about change: ChangeID,
        of key: RecordKey
    ) throws(SyncError) {
        try transact(answering: change) { transaction in
            transaction.effects += transaction.machine.handle(event, of: key)
        }
    }

    /// Stores an event of pulling.
    ///
    /// - Returns: Whether the server made no progress.
    @discardableResult
    func tell(_ event: SyncEvent) throws(SyncError) -> Bool {
        try transact { transaction in
            let effects = transaction.machine.handle(event)
            transaction.effects += effects
            return effects.contains(.pullStalled)
        }
    }

    /// Stores pages, in one transaction. A page counts only if the machine has asked for it when it has taken
    /// the one before: it may have begun anew.
    ///
    /// - Returns: Whether the server made no progress.
    func tell(_ pages: [PulledPage]) throws(SyncError) -> Bool {
        guard let first = pages.first else { return false }
        return try transact { transaction in
            var asked: PullRequest? = first.request
            var isStalled = false
            for page in pages {
                guard page.request == asked else { break }
                let effects = transaction.machine.handle(page.event)
                asked = nil
                for effect in effects {
                    switch effect {
                    case .pull(let request): asked = request
                    case .pullStalled: isStalled = true
                    default: transaction.effects.append(effect)
                    }
                }
            }
            if let asked { transaction.effects.append(.pull(asked)) }
            return isStalled
        }
    }

    /// Takes the pull that the machine asks for.
    func takePull() -> PullRequest? {
        guarded.withLock { $0.pull.take() }
    }

    /// Whether the machine asks for a pull that nobody has taken.
    var wantsPull: Bool { guarded.withLock { $0.pull != nil } }

    /// Whether another process has stored something that this one has not taken over.
    func isBehind() throws(SyncError) -> Bool {
        let newest = try SyncError.translating {
            try storage.read { try tables.newest($0)?.revision }
        }
        return guarded.withLock { $0.machine == nil || $0.revision != newest }
    }

    /// Begins the work of the only process that sends: what an earlier one had under way has no answer,
    /// and each record that can be sent has an operation.
    func resume() throws(SyncError) {
        let sent = try SyncError.translating { try recordsWithOperations() }
        try transact { transaction in
            let stored = transaction.machine.stored
            for record in stored {
                for change in record.changes
                where change.state == .sending || change.state == .asking {
                    transaction.effects += transaction.machine.handle(
                        .unanswered(change.id, attempt: change.attempt)
                    )
                }
            }
            let names = Set(sent.map(transaction.machine.name))
            for record in stored
            where transaction.machine.canBegin(record.key) && !names.contains(record.key) {
                transaction.toSend.append(record.key)
            }
        }
    }

    /// The records that operations in the queue name. An operation that cannot be opened names none.
    private func recordsWithOperations() throws -> [RecordKey] {
        var keys: [RecordKey] = []
        var last: EntryID?
        repeat {
            let entries = try storage.entries(in: .queued, after: last, limit: 500)
            last = entries.last?.id
            for entry in entries {
                guard let envelope = try? Envelope(decoding: entry.envelope),
                    envelope.kind == operationKind
                else { continue }
                do {
                    let payload = try tables.sealer.open(
                        entry.record,
                        id: envelope.id,
                        kind: envelope.kind,
                        createdAt: envelope.createdAt
                    )
                    keys += SyncToken.keys(payload) ?? []
                } catch is UnreadableRecord {
                    continue
                }
            }
        } while last != nil
        return keys
    }
}
