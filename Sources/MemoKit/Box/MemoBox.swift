import LibC
import MemoCore
public import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite

/// Everything one person's device knows: sending, the draft, the history, the account, the outbox.
///
/// Talks to no network. Every method may be called from any thread; several processes may use one
/// folder at once.
///
/// ```swift
/// let box = try MemoBox(folder: DataFolder(path: "/home/ann/memos"), keys: .file)
/// try box.send("Buy milk")       // durable on return
/// ```
public final class MemoBox: Sendable {
    /// The folder of the person's data, which the box has open.
    public let folder: DataFolder
    /// The queue behind this box. Its operations of kind `memo` have the
    /// relay's request body as their payload.
    public let outbox: Outbox<MemoQueueStorage>

    let storage: SQLiteStorage
    let keys: KeyRingStore<FolderKeyPlace>
    let drafts: BoxDrafts
    let pendingTimings = PendingTimings()

    /// Opens the folder and the database, and makes what is missing. The first sealing or opening
    /// reads the key from the place that ``DataFolder/keyHome`` names, or makes the first key.
    ///
    /// - Parameters:
    ///   - folder: The folder of the person's data.
    ///   - keys: The places for the key.
    ///   - log: Called for every transition of the outbox; see ``/Outbox/OutboxEvent``. `nil`: the
    ///     transitions are appended to ``DataFolder/log``.
    /// - Throws: ``MemoError``.
    public init(
        folder: DataFolder,
        keys: BoxKeys,
        log: (@Sendable (OutboxEvent) -> Void)? = nil
    ) throws(MemoError) {
        self.folder = folder
        self.keys = KeyRingStore(
            place: FolderKeyPlace(
                folder: folder,
                keyring: keys.keyring,
                preference: keys.newKey
            ),
            locks: KeyLocks(prefix: folder.key)
        )
        try folder.create()
        let file = LogFile(path: folder.log)
        do {
            let storage = try SQLiteStorage(path: folder.database)
            try Schema.prepare(storage, folder: folder)
            self.storage = storage
            drafts = BoxDrafts(folder: folder, storage: storage)
            outbox = Outbox(
                storage: MemoQueueStorage(base: storage),
                keys: self.keys,
                maximumPayload: RelayLimits.memoBodyLength,
                log: log ?? { file.append($0) }
            )
        } catch {
            throw MemoError(error, folder: folder)
        }
    }

    /// Opens the folder for a command that stores no memo, so that a failure speaks of no text.
    ///
    /// - Throws: ``MemoError``, with ``MemoError/readingNeedsWriting(_:)`` for a folder that cannot be
    ///   written: SQLite's log takes part in reading.
    public static func reading(_ folder: DataFolder, keys: BoxKeys) throws(MemoError) -> MemoBox {
        do {
            return try MemoBox(folder: folder, keys: keys)
        } catch .readOnly(let path) {
            throw .readingNeedsWriting(path)
        }
    }

    /// Stores a memo for delivery. On return the memo is durable, and the caller may forget it.
    ///
    /// One transaction writes the operation, its history entry and the timings that were recorded
    /// before, and removes the composer's draft.
    ///
    /// - Parameters:
    ///   - text: The memo.
    ///   - composer: The composer of the text; `nil` for a text that nobody has composed.
    /// - Returns: The memo's identifier, in the outbox, in the history and at the relay.
    /// - Throws: ``MemoError``; nothing was stored, and the draft is as it was.
    @discardableResult
    public func send(
        _ text: String,
        of composer: ComposerID? = .only
    ) throws(MemoError) -> OperationID {
        try send(text, of: composer) { _ in }
    }

    /// - Parameter first: Runs in the transaction, before the memo is stored. An error of it ends
    ///   the transaction.
    func send(
        _ text: String,
        of composer: ComposerID?,
        first: (Connection) throws -> Void
    ) throws(MemoError) -> OperationID {
        // Before the settings are read.
        try Self.validate(text)
        return try translatingErrors {
            let now = OutboxClock.system.wallTime()
            let id = OperationID.random(at: now)
            let operation = try outbox.seal(
                kind: .memo,
                payload: try requestBody(for: text, id: id, sentAt: now),
                id: id
            )
            let history = try SealedBytes(
                sealing: Array(text.utf8),
                id: operation.envelope.id,
                kind: .history,
                createdAt: operation.envelope.createdAt,
                with: outbox.sealer
            )
            let draft = composer.flatMap { drafts[$0].number }
            let timings = pendingTimings.all
            try storage.write { connection in
                try first(connection)
                try storage.insert(operation, in: connection)
                try Self.insertHistory(history, in: connection)
                if let draft { try BoxDraft.delete(draft, in: connection) }
                try Self.insert(timings, in: connection)
            }
            outbox.inserted(operation)
            pendingTimings.removeFirst(timings.count)
            return operation.envelope.id
        }
    }

    /// The body of the request to the relay: the memo with the person's signature, and the subject.
    private func requestBody(
        for text: String,
        id: OperationID,
        sentAt: WallTime
    ) throws -> [UInt8] {
        let settings = try settingsForSending()
        let body = settings.body(of: text)
        try Self.validate(text, signature: body.utf8.count - text.utf8.count)
        let rule = SubjectRule(template: settings.subjectTemplate)
        let subject = rule.subject(of: text, day: CalendarDay(local: sentAt), id: id)
        let bytes = Array(body.utf8)
        return subject.isEmpty
            ? RelayRequest.memoBody(text: bytes)
            : RelayRequest.memoBody(text: bytes, subject: Array(subject.utf8))
    }

    /// Does what storing a memo needs, and stores nothing: takes the lock of the keys, writes a
    /// transaction without a change, and waits until it is on the disk.
    ///
    /// - Throws: ``MemoError``, as ``send(_:of:)`` would throw for the same folder.
    public func tryStoring() throws(MemoError) {
        try translatingErrors {
            try KeyLocks(prefix: folder.key).changing {}
            try storage.write { try Schema.rewriteVersion(in: $0) }
        }
    }

    /// Whether there is anything that will be attempted, now or later.
    ///
    /// - Complexity: O(log n) in what is queued.
    package func isAnythingQueued() throws(MemoError) -> Bool {
        try translatingErrors { try !outbox.entries(in: .queued, limit: 1).isEmpty }
    }

    /// The first queued entries, to tell whether a round of attempts changed any.
    ///
    /// - Complexity: O(1) in the number of queued entries: the list has a limit.
    package func queuedEntries() throws(MemoError) -> [OutboxEntry] {
        try translatingErrors { try outbox.entries(in: .queued) }
    }

    func translatingErrors<Result>(_ body: () throws -> Result) throws(MemoError) -> Result {
        do {
            return try body()
        } catch {
            throw MemoError(error, folder: folder)
        }
    }
}
