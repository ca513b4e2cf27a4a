public import MemoCore
public import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite
import WireCore

/// The bookkeeping of an outbox entry, without the memo.
public struct OutboxItem: Hashable, Sendable {
    /// The state of an entry.
    public enum State: String, Hashable, Sendable {
        /// The agent will attempt the entry.
        case queued
        /// The relay refused the entry for good, or no handler knows its kind: a person decides.
        case parked
        /// The entry's bytes cannot be read, and are kept unchanged.
        case quarantined
    }

    /// The memo's identifier; `nil` where the bookkeeping cannot be read.
    public let id: OperationID?
    /// The entry's number in the storage, which names an entry without a readable identifier.
    public let number: Int64
    /// The kind, such as `memo`; `nil` where the bookkeeping cannot be read.
    public let kind: OperationKind?
    /// The state of the entry.
    public let state: State
    /// The time at which the entry was stored; `nil` where the bookkeeping cannot be read.
    public let createdAt: WallTime?
    /// The reason in a person's words; `nil` for an entry that was not attempted.
    public var words: ReasonWords? {
        switch state {
        case .queued: reason.map { ReasonWords($0, isParked: false) }
        case .parked: reason.map { ReasonWords($0, isParked: true) }
        case .quarantined: ReasonWords(unreadable: reason ?? ReasonCode(utf8: []))
        }
    }
    /// Whether the entry leaves only when a person decides.
    public var needsPerson: Bool {
        switch state {
        case .queued: false
        case .parked: reason != .unauthorized
        case .quarantined: true
        }
    }
    /// The number of failed attempts.
    public let attempts: UInt32
    /// The earliest moment of the next attempt; `nil` for an entry that is eligible now, or waits
    /// for a person.
    public let nextEligibleAt: WallTime?
    /// The type of the last failure, or the reason for parking or quarantine. Any bytes, where the
    /// storage is damaged: see `ReasonCode.isPlain`.
    public let reason: ReasonCode?
}

extension MemoBox {
    /// Entries of the outbox, the oldest first: the queued ones, then the parked ones, then the
    /// quarantined ones.
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
        try translatingErrors { OutboxItem(try entry(id)) }
    }

    /// The bookkeeping of the entry with this number in the storage. An entry whose identifier
    /// cannot be read has a number, too.
    ///
    /// - Throws: ``MemoError/unknownOperation`` when it is not, or no longer, in the outbox.
    public func outboxItem(number: Int64) throws(MemoError) -> OutboxItem {
        try translatingErrors {
            guard number > 0 else { throw MemoError.unknownOperation }
            for state in OperationState.allCases {
                let before = EntryID(rawValue: number - 1)
                let found = try outbox.entries(in: state, after: before, limit: 1).first
                if let found, found.entryID.rawValue == number { return OutboxItem(found) }
            }
            throw MemoError.unknownOperation
        }
    }

    /// The bookkeeping of the entry that a text names: an identifier, the beginning or the end of
    /// one, or `entry:` and a number.
    ///
    /// - Throws: ``MemoError/unknownOperation`` and ``MemoError/ambiguousIdentifier``.
    /// - Complexity: O(entries) for a shortened identifier.
    public func outboxItem(named text: String) throws(MemoError) -> OutboxItem {
        if text.hasPrefix("entry:"), let number = Int64(text.dropFirst("entry:".count)) {
            return try outboxItem(number: number)
        }
        if let id = OperationID(text: text.utf8) { return try outboxItem(id) }
        guard let digits = ShortIdentifier.digits(of: text) else { throw .unknownOperation }
        return try translatingErrors {
            var found: OutboxEntry?
            for state in OperationState.allCases {
                var last: EntryID?
                while true {
                    let entries = try outbox.entries(in: state, after: last)
                    guard let end = entries.last?.entryID else { break }
                    last = end
                    for entry in entries {
                        guard let id = entry.id, ShortIdentifier.matches(digits, id) else {
                            continue
                        }
                        guard found == nil else { throw MemoError.ambiguousIdentifier }
                        found = entry
                    }
                }
            }
            guard let found else { throw MemoError.unknownOperation }
            return OutboxItem(found)
        }
    }

    /// The outbox's numbers.
    ///
    /// - Complexity: O(entries).
    public func outboxState() throws(MemoError) -> OutboxState {
        try translatingErrors { try outbox.state(patience: WaitingRule.patience) }
    }

    /// The outbox's numbers: the present ones, then those after each change, by whichever process.
    public func outboxStates() -> some AsyncSequence<OutboxState, Never> {
        outbox.states(patience: WaitingRule.patience, recheck: .seconds(1))
    }

    /// Damage beyond single entries, by which memos may be missing, or may never be sent.
    ///
    /// - Parameter limit: The most bytes of sealed memos to look through. With 0, and for an outbox
    ///   that holds more, the answer is the damage that was noticed before.
    /// - Throws: ``MemoError`` when the database cannot be read.
    public func damage(checkingUpTo limit: Int = .max) throws(MemoError) -> [MemoError] {
        try translatingErrors {
            try outbox.damage(checkingUpTo: limit).map { damage in
                switch damage {
                case .dropped(let copy): .logDamaged(copy)
                case .inconsistent: .databaseInconsistent(folder.database)
                }
            }
        }
    }

    /// The stored bytes of an entry, unchanged, so that a person can copy an entry that cannot be
    /// read. Sealed bytes stay sealed.
    ///
    /// - Throws: ``MemoError/unknownOperation`` when it is not, or no longer, in the outbox.
    public func export(_ item: OutboxItem) throws(MemoError) -> StoredEntry {
        try translatingErrors {
            guard let entry = try outbox.export(EntryID(rawValue: item.number)) else {
                throw MemoError.unknownOperation
            }
            return entry
        }
    }

    /// Whether to tell the person now that an entry has waited for long. One answer is `true`, for
    /// all programs of this folder, until another entry is late. `false` also when the database
    /// cannot be read.
    ///
    /// - Parameter now: The moment of the look; `nil` for the present.
    public func warnsOfWaiting(now: WallTime? = nil) -> Bool {
        let now = now ?? OutboxClock.system.wallTime()
        guard let oldest = (try? outboxState())?.oldestCreatedAt else { return false }
        var rule = WaitingRule(warnedAt: folder.waitingWarning, oldest: oldest)
        let warns = rule.looked(oldest: oldest, now: now)
        if warns { folder.noteWaitingWarning(at: now) }
        return warns
    }

    /// The memo of an outbox entry.
    ///
    /// - Throws: ``MemoError/unknownOperation``; ``MemoError/wrongKey(_:)`` or
    ///   ``MemoError/entryDamaged`` when it does not open.
    public func outboxText(_ item: OutboxItem) throws(MemoError) -> String {
        try translatingErrors {
            guard let id = item.id else { throw MemoError.entryDamaged }
            let operation = try outbox.open(id)
            guard operation.kind == .memo else { throw MemoError.unknownOperation }
            guard let text = JSON(decodingText: operation.payload)?.text("text") else {
                throw MemoError.entryDamaged
            }
            return text
        }
    }

    /// The memo of an outbox entry.
    ///
    /// - Throws: ``MemoError``, as for the entry itself.
    public func outboxText(_ id: OperationID) throws(MemoError) -> String {
        try outboxText(outboxItem(id))
    }

    /// Makes an entry eligible at once, a parked one too, and updates its history entry in the same
    /// transaction. Call the courier afterwards.
    ///
    /// - Throws: ``MemoError/unknownOperation``; ``MemoError/wrongKey(_:)`` or
    ///   ``MemoError/entryDamaged`` when the entry still cannot be read, which leaves it as it is.
    public func retry(_ item: OutboxItem) throws(MemoError) {
        try translatingErrors {
            guard let id = item.id else { throw MemoError.entryDamaged }
            // Throws what cannot be read.
            _ = try outbox.open(id)
            try storage.write { connection in
                let entry = EntryID(rawValue: item.number)
                guard try storage.makeEligible(entry, in: connection) else {
                    throw MemoError.unknownOperation
                }
                try Self.record(.queued, of: id, in: connection)
            }
            outbox.requeued(id, kind: item.kind)
        }
    }

    /// Makes an entry eligible at once, a parked one too. Call the courier afterwards.
    ///
    /// - Throws: ``MemoError``, as for the entry itself.
    public func retry(_ id: OperationID) throws(MemoError) {
        try retry(outboxItem(id))
    }

    /// Makes every queued and parked entry eligible at once, and updates the history in the same
    /// transaction. Call the courier afterwards.
    ///
    /// - Returns: The number of these entries.
    @discardableResult
    public func retryAll() throws(MemoError) -> Int {
        try translatingErrors {
            let parked = try parkedOperations()
            try storage.write { connection in
                try storage.makeAllEligible(in: connection)
                for id in parked { try Self.record(.queued, of: id, in: connection) }
            }
            outbox.requeued(nil, kind: nil)
            return try outbox.state(patience: WaitingRule.patience).queued
        }
    }

    /// Makes the entries eligible at once that were parked because no token was accepted.
    package func retryUnauthorized() throws(MemoError) {
        try translatingErrors { try outbox.retryParked(reason: .unauthorized) }
    }

    /// Deletes an entry for good. The same transaction marks its history entry as deleted.
    ///
    /// Does not recall an attempt that is under way: the memo may still arrive.
    ///
    /// - Throws: ``MemoError/unknownOperation`` when it is not, or no longer, in the outbox.
    public func delete(_ item: OutboxItem) throws(MemoError) {
        try translatingErrors {
            try storage.write { connection in
                let entry = EntryID(rawValue: item.number)
                guard try storage.delete(entry, in: connection) else {
                    throw MemoError.unknownOperation
                }
                guard let id = item.id else { return }
                try Self.record(.deleted, of: id, in: connection)
            }
            outbox.deleted(item.id, kind: item.kind)
        }
    }

    /// Deletes an entry for good. The same transaction marks its history entry as deleted.
    ///
    /// - Throws: ``MemoError/unknownOperation`` when it is not, or no longer, in the outbox.
    public func delete(_ id: OperationID) throws(MemoError) {
        try delete(outboxItem(id))
    }

    private func parkedOperations() throws -> [OperationID] {
        var parked: [OperationID] = []
        var last: EntryID?
        while true {
            let entries = try outbox.entries(in: .parked, after: last)
            parked += entries.compactMap(\.id)
            guard let end = entries.last?.entryID else { return parked }
            last = end
        }
    }

    private func entry(_ id: OperationID) throws -> OutboxEntry {
        guard let entry = try outbox.entry(for: id) else { throw MemoError.unknownOperation }
        return entry
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
            reason = entry.envelope?.lastError
        case .parked:
            state = .parked
            nextEligibleAt = nil
            reason = entry.envelope?.lastError
        case .quarantined:
            state = .quarantined
            nextEligibleAt = nil
            reason = entry.quarantineReason.map { ReasonCode(utf8: Array($0.rawValue.utf8)) }
        }
    }
}
