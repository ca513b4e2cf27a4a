import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import SyncCore
import Synchronization

// One transaction: what others stored is taken over, the machine decides, and everything that it changed
// is stored, with the operations that send it.
//
// | step fails | outcome |
// |---|---|
// | the app's body, before any edit | nothing; the machine goes on |
// | anything later, the commit included | the transaction is undone; the next one begins with what is stored |
//
// A machine is never ahead of the storage: what a person sees is published after the commit.
extension SyncedRecords {
    /// Runs one transaction, which is durable if it changes something.
    func transact<Result>(
        _ body: (inout SyncTransaction<Rules>) throws -> Result
    ) throws(SyncError) -> Result {
        try transact(answering: nil, body)
    }

    /// Runs one transaction.
    ///
    /// - Parameter answered: The change whose request has ended, whatever comes of this transaction.
    func transact<Result>(
        answering answered: ChangeID?,
        _ body: (inout SyncTransaction<Rules>) throws -> Result
    ) throws(SyncError) -> Result {
        var result: Swift.Result<Result, SyncError>?
        var told = Told()
        guarded.withLock { guarded in
            if let answered { guarded.inFlight.remove(answered) }
            result = Swift.Result { () throws(SyncError) in
                try commit(&guarded, &told, body)
            }
        }
        for operation in told.operations { outbox.inserted(operation) }
        // The drain of this process may not know their operations, and hears of them here only.
        if told.hasOthers { outbox.wake() }
        if let snapshot = told.snapshot { observers.send(snapshot) }
        if told.snapshot != nil || told.isPullWanted { stored.send(()) }
        return try result!.get()
    }

    /// The news of a committed transaction.
    private struct Told {
        var operations: [SealedOperation] = []
        var snapshot: SyncSnapshot?
        var isPullWanted = false
        /// Whether changes of other processes were taken over, also if the transaction failed then.
        var hasOthers = false
    }

    private func commit<Result>(
        _ guarded: inout Guarded,
        _ told: inout Told,
        _ body: (inout SyncTransaction<Rules>) throws -> Result
    ) throws(SyncError) -> Result {
        var work = Work()
        let result: Result
        do {
            result = try SyncError.translating {
                try storage.write { try perform(&guarded, &work, $0, body) }
            }
        } catch {
            told.hasOthers = work.hasOthers
            if work.isEdited { guarded.machine = nil }
            throw error
        }
        told.hasOthers = work.hasOthers
        guarded.revision = work.revision ?? guarded.revision
        guarded.inFlight.formUnion(work.begun)
        guarded.pull = work.pull ?? guarded.pull
        told.isPullWanted = work.pull != nil
        told.operations = work.operations
        guard guarded.isUnshown || work.revision != nil else { return result }
        guarded.overruled.removeAll { work.acknowledged.contains($0.number) }
        guarded.overruled += work.notes
        guarded.room = work.room
        guarded.snapshot = snapshot(of: guarded, hasRefused: work.hasRefused)
        guarded.isUnshown = false
        told.snapshot = guarded.snapshot
        return result
    }

    private func perform<Result>(
        _ guarded: inout Guarded,
        _ work: inout Work,
        _ database: Connection,
        _ body: (inout SyncTransaction<Rules>) throws -> Result
    ) throws -> Result {
        try takeOver(&guarded, &work, database)
        guard let machine = guarded.machine.take() else {
            preconditionFailure("a machine was taken over")
        }
        var transaction = SyncTransaction<Rules>(
            consume machine,
            database,
            underWay: guarded.inFlight,
            room: try room(guarded, database),
            now: clock.wallTime(),
            random: random
        )
        transaction.effects = work.repairs
        let result: Result
        do {
            result = try body(&transaction)
        } catch {
            // Then the machine is as it was.
            if transaction.effects.isEmpty { guarded.machine = transaction.machine }
            throw error
        }
        work.isEdited = true
        work.room = transaction.room
        try store(&transaction, &work, guarded.revision)
        guarded.machine = transaction.machine
        return result
    }

    /// The outcome of a transaction, which counts when it is committed.
    private struct Work {
        /// Whether the machine may be ahead of the storage, if the transaction fails.
        var isEdited = false
        /// Whether it took over what other processes have stored.
        var hasOthers = false
        /// The revision that it added; `nil` if it changed nothing.
        var revision: Int64?
        var room = 0
        /// Whether it stored a record with a refused change.
        var hasRefused = false
        /// The effects of setting damaged records aside.
        var repairs: [SyncEffect] = []
        var operations: [SealedOperation] = []
        var begun: [ChangeID] = []
        var pull: PullRequest?
        var notes: [OverruledChange] = []
        var acknowledged: [Int64] = []
    }

    private func snapshot(of guarded: Guarded, hasRefused: Bool) -> SyncSnapshot {
        guard let machine = guarded.machine else { return guarded.snapshot }
        // The machine looks through all changes for them.
        let mayBeRefused = guarded.isUnshown || hasRefused || !guarded.snapshot.refused.isEmpty
        return SyncSnapshot(
            table: machine.shown,
            refused: mayBeRefused ? machine.entries : [],
            overruled: guarded.overruled,
            lastPulled: machine.meta.lastPulled
        )
    }

    /// The number of changes that may be added: at most as many as are left, as other processes may have
    /// added some that this one counts again then.
    private func room(_ guarded: Guarded, _ database: Connection) throws -> Int {
        if !guarded.isUnshown, guarded.room > 0 { return guarded.room }
        return maximumPending - (try tables.counts(database).pending)
    }

    // MARK: Taking over

    private func takeOver(
        _ guarded: inout Guarded,
        _ work: inout Work,
        _ database: Connection
    ) throws {
        guard let (newest, meta) = try tables.newest(database) else {
            let machine = Machine(node: newNode(), rules: rules, limits: limits)
            try tables.add(revision: 1, machine.meta, names: [], database)
            guarded.machine = machine
            guarded.revision = 1
            guarded.isUnshown = true
            return
        }
        guard guarded.machine == nil || newest != guarded.revision else { return }
        // A failed transaction is no news: its repetition would wake the drain for ever.
        work.hasOthers = newest != guarded.revision
        guarded.isUnshown = true
        guarded.overruled = try tables.notes(database)
        if newest < guarded.revision { guarded.machine = nil }
        let known = guarded.machine == nil ? nil : guarded.revision
        work.repairs = try load(&guarded, since: known, newest, meta, database)
        guarded.revision = newest
    }

    /// Loads what was stored since a revision, or everything.
    ///
    /// - Returns: The effects of setting damaged records aside.
    private func load(
        _ guarded: inout Guarded,
        since revision: Int64?,
        _ newest: Int64,
        _ sealedMeta: [UInt8],
        _ database: Connection
    ) throws -> [SyncEffect] {
        var machine =
            guarded.machine.take() ?? Machine(node: newNode(), rules: rules, limits: limits)
        let meta = try opened { try tables.open(meta: sealedMeta) }
        var isDamaged = meta == nil
        var records: [SyncRecord] = []
        var removed: [RecordKey] = []
        for stored in try found(since: revision, newest, machine, &removed, database) {
            if let record = try opened({ try tables.open(stored) }) {
                records.append(record)
            } else {
                isDamaged = true
                removed.append(stored.key)
                try tables.setAside(stored, database)
            }
        }
        let fresh = Machine(node: newNode(), rules: rules, limits: limits).meta
        machine.takeOver(meta ?? fresh, records, removed: removed)
        var repairs: [SyncEffect] = []
        // What was lost is pulled again.
        if isDamaged {
            for effect in machine.handle(.refresh) {
                guard case .pull(let request) = effect else {
                    repairs.append(effect)
                    continue
                }
                repairs += machine.handle(.pullFailed(request: request.number))
            }
        }
        guarded.machine = machine
        return repairs
    }

    private func found(
        since revision: Int64?,
        _ newest: Int64,
        _ machine: Machine,
        _ removed: inout [RecordKey],
        _ database: Connection
    ) throws -> [SyncTables.Stored] {
        guard let revision else { return try tables.records(since: 0, database) }
        guard let names = try tables.names(since: revision, to: newest, database) else {
            let all = try tables.names(database)
            for record in machine.stored where !all.contains(record.key) {
                removed.append(record.key)
            }
            return try tables.records(since: revision, database)
        }
        var found: [SyncTables.Stored] = []
        for name in names {
            if let stored = try tables.find(name, database) {
                found.append(stored)
            } else {
                removed.append(name)
            }
        }
        return found
    }

    /// - Returns: `nil` for bytes that no waiting will make readable.
    private func opened<Content>(_ open: () throws -> Content) throws -> Content? {
        do {
            return try open()
        } catch SyncFormatError.unsupportedVersion {
            throw SyncError.newerFormat
        } catch is SyncFormatError {
            return nil
        } catch is UnreadableRecord {
            return nil
        }
    }

    // MARK: Storing

    private func store(
        _ transaction: inout SyncTransaction<Rules>,
        _ work: inout Work,
        _ revision: Int64
    ) throws {
        let database = transaction.database
        var written: [RecordKey] = []
        var isChanged = false
        var isRenamed = false
        var position = 0
        while position < transaction.effects.count {
            let effect = transaction.effects[position]
            position += 1
            switch effect {
            case .store(let keys):
                isChanged = true
                written += keys
            case .pull(let request): work.pull = request
            case .push(let request): work.begun.append(request.stamp.id)
            case .ask(let question): work.begun.append(question.id)
            case .makeNode:
                transaction.effects += transaction.machine.handle(.nodeMade(newNode()))
            case .renamed(let old, let new):
                isRenamed = true
                try following(.renamed(from: old, to: new), database)
            case .refused(let key, let id):
                try following(.refused(key, id), database)
            case .overruled(let key, let id, let fields):
                let number = (revision + 1) << 16 | Int64(work.notes.count)
                work.notes.append(
                    OverruledChange(
                        number: number,
                        key: key,
                        values: fields.values,
                        at: transaction.now
                    )
                )
                try following(.overruled(key, id, fields), database)
            case .pullStalled: break
            }
        }
        for note in work.notes { try tables.add(note, database) }
        for number in transaction.acknowledged { try tables.dropNote(number, database) }
        work.acknowledged = transaction.acknowledged
        if isChanged || !transaction.acknowledged.isEmpty {
            // In the order of the table's index, so that each of its pages is changed once.
            written = written.sortedOnce()
            var nonces = SealingNonces(count: written.count)
            for key in written {
                if let record = transaction.machine.record(key) {
                    let counts = try tables.write(
                        record,
                        revision: revision + 1,
                        &nonces,
                        database
                    )
                    if counts.refused > 0 { work.hasRefused = true }
                } else {
                    try tables.remove(key, database)
                }
            }
            try tables.add(
                revision: revision + 1,
                transaction.machine.meta,
                names: written,
                database
            )
            work.revision = revision + 1
        }
        // Those that referred to a record without an identifier can begin now.
        if isRenamed { transaction.toSend += written.filter(transaction.machine.canBegin) }
        for key in transaction.toSend {
            let operation = try outbox.seal(
                kind: operationKind,
                payload: SyncToken.encoded([key]),
                id: random.map { OperationID(time: transaction.now, random: ($0(), $0())) }
            )
            try storage.insert(operation, in: database)
            work.operations.append(operation)
        }
    }

    /// 128 random bits of the system's generator.
    func newNode() -> NodeID {
        if let random { return NodeID(high: random(), low: random()) }
        var generator = SystemRandomNumberGenerator()
        return NodeID(high: generator.next(), low: generator.next())
    }
}

extension SyncMachine {
    /// Whether the first change of a record that the server has not accepted is to be sent.
    func canBegin(_ key: RecordKey) -> Bool {
        let front = record(key)?.changes.first { $0.state != .accepted }
        return front?.state == .queued || front?.state == .unknown
    }
}

extension [RecordKey] {
    /// The keys in their order, each once.
    fileprivate func sortedOnce() -> [RecordKey] {
        var keys: [RecordKey] = []
        keys.reserveCapacity(count)
        for key in sorted() where keys.last != key { keys.append(key) }
        return keys
    }
}
