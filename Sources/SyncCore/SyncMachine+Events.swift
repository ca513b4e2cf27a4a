internal import OutboxCore
internal import StoreCore

extension SyncMachine {
    /// Handles one event. An event that does not fit the state changes nothing.
    ///
    /// - Returns: The effects to perform, in order.
    /// - Complexity: O(*p*) for *p* changes, and O(*r* log *n*) for *r* rows of a page.
    public mutating func handle(_ event: SyncEvent) -> [SyncEffect] {
        let before = meta
        switch event {
        case .woken:
            beginPull()
            goOn(isWoken: true)
        case .refresh:
            beginSweep()
        case .pulled(let request, let answer, let serverTime):
            meta.clock.hear(serverTime: serverTime)
            pulled(request, answer, serverTime)
        case .pullFailed(let request):
            if request == lastRequest { pulling = .idle }
        case .answered(let id, let attempt, let answer, let serverTime):
            meta.clock.hear(serverTime: serverTime)
            answered(id, attempt, .sending, answer)
        case .unanswered(let id, let attempt):
            unanswered(id, attempt)
        case .asked(let id, let attempt, let answer, let serverTime):
            meta.clock.hear(serverTime: serverTime)
            answered(id, attempt, .asking, answer)
        case .timeTold(let serverTime):
            meta.clock.hear(serverTime: serverTime)
        case .nodeMade(let node):
            if isNodeAwaited {
                isNodeAwaited = false
                meta.clock.node = node
                goOn(isWoken: false)
            }
        }
        return finish(since: before)
    }

    /// Handles an event about a change of a record, whose name spares a look at all changes.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - key: The record, also by its former temporary identifier.
    /// - Returns: The effects to perform, in order.
    /// - Complexity: That of ``handle(_:)`` for an accepted creation, whose identifier is looked for in all
    ///   changes, and for a shell that lets the machine begin the pushes; else O(changes of the record),
    ///   averaged over calls.
    public mutating func handle(_ event: SyncEvent, of key: RecordKey) -> [SyncEffect] {
        hint = name(key)
        let effects = handle(event)
        hint = nil
        return effects
    }

    // MARK: Pushing

    /// Begins the pushes and, after a wake-up, the questions for which there is a place.
    @inline(never)
    mutating func goOn(isWoken: Bool) {
        guard !isNodeAwaited, limits.underWay > 0 else { return }
        let records = busyRecords
        var places = limits.underWay
        for record in records {
            if let front = record.front, record.changes[front].isUnderWay { places -= 1 }
        }
        for record in records where places > 0 {
            guard let front = record.front else { continue }
            switch record.changes[front].state {
            case .queued:
                if push(record, front) { places -= 1 }
            case .unknown where isWoken:
                ask(record, front)
                places -= 1
            case .unknown, .sending, .asking, .accepted, .refused: continue
            }
        }
    }

    /// Begins the push of a record's first change that the server has not accepted, or the question for
    /// its lost answer: for a shell that chooses the moment of each by itself, as one with a queue does,
    /// and sets ``SyncLimits/underWay`` to 0.
    ///
    /// A change that is under way counts as one without an answer. So the shell calls this only while it
    /// sends nothing of the record.
    ///
    /// - Parameter key: The record, also by its former temporary identifier.
    /// - Returns: The effects to perform, in order; without a push or a question if no change of the
    ///   record can begin: it waits for a person, or for the identifier of another record.
    /// - Complexity: O(changes of the record), averaged over calls.
    public mutating func begin(_ key: RecordKey) -> [SyncEffect] {
        let before = meta
        guard !isNodeAwaited, let record = record(name(key)), let front = record.front else {
            return []
        }
        switch record.changes[front].state {
        case .queued: _ = push(record, front)
        case .sending, .unknown, .asking: ask(record, front)
        case .accepted, .refused: break
        }
        return finish(since: before)
    }

    /// Begins a push.
    ///
    /// - Returns: `false` for a change that refers to a record without an identifier.
    @inline(never)
    private mutating func push(_ record: SyncRecord, _ front: Int) -> Bool {
        if Rules.hasCreations, refersToTemporary(record.changes[front], in: record.key.kind) {
            return false
        }
        let record = open(record.key)
        let change = record.changes[front]
        if change.id.node != meta.clock.node { renumber(record, from: front, now: nil) }
        change.state = .sending
        perform(.push(change.request(key: record.key, settledThrough: settledThrough())))
        return true
    }

    /// Begins a question.
    private mutating func ask(_ record: SyncRecord, _ front: Int) {
        let change = open(record.key).changes[front]
        change.state = .asking
        perform(.ask(change.request(key: record.key, settledThrough: 0).question))
    }

    private func refersToTemporary(_ change: SyncChange, in kind: [UInt8]) -> Bool {
        for field in change.fields {
            guard let referred = rules.reference(of: field.name, in: kind) else { continue }
            if held.find(RecordKey(kind: referred, id: field.value))?.isTemporary ?? false {
                return true
            }
        }
        return false
    }

    /// Gives the changes of a record, from a position on, new stamps of the present node. None of
    /// them may have been applied.
    ///
    /// - Parameter now: The wall clock, for a decision of now; `nil` keeps the times.
    @inline(never)
    mutating func renumber(_ record: SyncRecord, from first: Int, now: WallTime?) {
        for position in first..<record.changes.count {
            let change = record.changes[position]
            let next = meta.clock.stamp(now: now ?? .distantPast)
            let old = change.id
            change.stamp = Stamp(time: now == nil ? change.stamp.time : next.time, id: next.id)
            change.attempt = 0
            for field in change.fields {
                record.retarget(behind: position, field.name, from: old, to: change.stamp)
            }
        }
    }

    private mutating func unanswered(_ id: ChangeID, _ attempt: UInt32) {
        guard let (record, position) = find(id) else { return }
        let change = record.changes[position]
        guard change.attempt == attempt, change.isUnderWay else { return }
        open(record.key).changes[position].state = .unknown
        goOn(isWoken: false)
    }

    @inline(never)
    private mutating func answered(
        _ id: ChangeID,
        _ attempt: UInt32,
        _ state: SyncChange.State,
        _ answer: PushAnswer?
    ) {
        guard let (found, position) = find(id), found.changes[position].attempt == attempt,
            found.changes[position].state == state
        else { return }
        let record = open(found.key)
        let change = record.changes[position]
        switch answer {
        case nil: change.state = .queued
        case .accepted(let recordID, _, _)
        where change.intent != .create && !areEqual(recordID, record.key.id):
            // Another device's change, by a server that takes it for this one.
            refuse(record, change, .contradiction, nil)
        case .accepted(let recordID, let version, let stamp):
            accepted(record, change, recordID, version, stamp)
        case .conflict(let row, let stamp):
            conflicted(record, change, row, stamp)
        case .refused(let reason, let row):
            if let row, row.key == record.key { meet(row, record) }
            refuse(record, change, reason, row)
        case .newNode:
            change.state = .queued
            if id.node == meta.clock.node {
                isNodeAwaited = true
                perform(.makeNode)
            }
        }
        goOn(isWoken: false)
    }

    @inline(never)
    mutating func refuse(
        _ record: SyncRecord,
        _ change: SyncChange,
        _ reason: RefusalReason,
        _ row: Row?
    ) {
        change.state = .refused
        change.reason = reason
        change.met = row
        perform(.refused(record.key, change.id))
    }

    private mutating func accepted(
        _ record: SyncRecord,
        _ change: SyncChange,
        _ recordID: [UInt8],
        _ version: UInt64,
        _ stamp: Stamp
    ) {
        change.stamp = stamp
        record.isDoubtful = false
        // A full pull may have begun before. An answer that is no news does not say that the record is
        // still there.
        if version > record.base?.version ?? 0 { record.mark = meta.sweep }
        // Those who made the changes behind saw the row that this change has made.
        accept(record, change, version, isSeenBehind: true)
        if Rules.hasCreations, change.intent == .create {
            rename(record, to: RecordKey(kind: record.key.kind, id: recordID))
        }
        pullAgain()
    }

    /// Takes a row that came with an answer. The answer may be older than the last full pull, which no
    /// longer named the row: so the row says nothing about a record that the device does not have, and
    /// a pull tells.
    @inline(never)
    mutating func meet(_ row: Row, _ record: SyncRecord) {
        observe(row)
        if record.base == nil {
            pullAgain()
        } else if record.isNews(row) {
            record.adopt(row)
        }
    }

    /// Pulls what the server has now.
    private mutating func pullAgain() {
        if pulling == .idle { beginPull() } else { pulling = .pullingAgain }
    }

    /// Notes that a change was applied.
    ///
    /// - Parameter isSeenBehind: Whether the changes behind it were made on the row of this version.
    @inline(never)
    private func accept(
        _ record: SyncRecord,
        _ change: SyncChange,
        _ version: UInt64,
        isSeenBehind: Bool
    ) {
        change.state = .accepted
        change.version = version
        if isSeenBehind {
            for later in record.position(of: change) + 1..<record.changes.count
            where record.changes[later].madeOn == change.madeOn {
                record.changes[later].madeOn = version
            }
        }
        record.dropEchoed()
    }

    /// Replaces a temporary identifier everywhere.
    @inline(never)
    mutating func rename(_ old: SyncRecord, to key: RecordKey) {
        guard old.key != key else { return }
        let record = open(key)
        for change in old.changes { record.changes.append(change) }
        record.mark = max(record.mark, old.mark)
        old.changes = []
        old.base = nil
        old.movedTo = key.id
        record.dropEchoed()
        noteBusy(record)
        for other in busyRecords {
            for position in other.changes.indices {
                let change = other.changes[position]
                let fields = replaced(change.fields, in: other.key.kind, old.key, by: key.id)
                let before = replaced(change.before, in: other.key.kind, old.key, by: key.id)
                if fields == nil, before == nil { continue }
                let opened = open(other.key).changes[position]
                if let fields { opened.fields = fields }
                if let before { opened.before = before }
            }
        }
        perform(.renamed(from: old.key, to: key))
    }

    @inline(never)
    private func refers(_ field: Field, in kind: [UInt8], to key: RecordKey) -> Bool {
        guard areEqual(field.value, key.id),
            let referred = rules.reference(of: field.name, in: kind)
        else { return false }
        return areEqual(referred, key.kind)
    }

    /// The fields with another identifier in those that refer to a record; `nil` if none does.
    @inline(never)
    private func replaced(
        _ fields: [Field],
        in kind: [UInt8],
        _ key: RecordKey,
        by id: [UInt8]
    ) -> [Field]? {
        var replaced: [Field]?
        for field in fields where refers(field, in: kind, to: key) {
            let other = Field(name: field.name, value: id, stamp: field.stamp)
            replaced = (replaced ?? fields).overlaid(by: [other])
        }
        return replaced
    }

    /// Refuses the changes of other records that refer to a record that will never be.
    mutating func refuseReferences(to key: RecordKey) {
        for record in busyRecords where record.key != key {
            for position in record.changes.indices {
                let change = record.changes[position]
                for field in change.fields
                where change.state != .refused && refers(field, in: record.key.kind, to: key) {
                    let record = open(record.key)
                    refuse(record, record.changes[position], .referenceDiscarded, nil)
                    break
                }
            }
        }
    }

    // MARK: Pulling

    @inline(never)
    mutating func beginPull() {
        guard pulling == .idle else { return }
        lastRequest += 1
        pulling = .pulling
        perform(.pull(PullRequest(number: lastRequest, cursor: meta.cursor)))
    }

    /// Begins a pull of everything; the answer to a request under way is not taken.
    private mutating func beginSweep() {
        meta.cursor = nil
        meta.sweep += 1
        meta.isSweeping = true
        pulling = .idle
        beginPull()
    }

    private mutating func pulled(
        _ request: UInt64,
        _ answer: PullAnswer,
        _ serverTime: WallTime
    ) {
        let old = pulling
        guard old != .idle, request == lastRequest else { return }
        pulling = .idle
        switch answer {
        case .cursorForgotten:
            // Without a cursor there is nothing to forget.
            if meta.cursor == nil { perform(.pullStalled) } else { beginSweep() }
        case .page(let rows, let cursor, let hasMore):
            for row in rows { adopt(row) }
            let isStuck = hasMore && meta.cursor.map { areEqual($0, cursor) } ?? false
            meta.cursor = cursor
            if isStuck {
                perform(.pullStalled)
            } else if hasMore {
                beginPull()
                pulling = old
            } else {
                meta.lastPulled = max(meta.lastPulled ?? serverTime, serverTime)
                if meta.isSweeping { endSweep() }
                if doubtEchoes() {
                    beginSweep()
                } else if old == .pullingAgain {
                    beginPull()
                }
            }
            goOn(isWoken: false)
        }
    }

    /// Removes the rows that a full pull did not name, and the accepted changes of such rows: the
    /// record is gone, and its tombstone forgotten.
    private mutating func endSweep() {
        meta.isSweeping = false
        for record in held.all where record.mark != meta.sweep {
            guard record.base != nil || record.hasAccepted else { continue }
            let record = open(record.key)
            record.base = nil
            record.dropAccepted(through: .max)
        }
    }

    /// Looks for accepted changes whose echo has not come although a whole pull began after their
    /// answer. Their record may be gone, and its tombstone forgotten before a pull could bring it: a
    /// full pull tells.
    private mutating func doubtEchoes() -> Bool {
        var isDoubted = false
        for record in busyRecords where record.hasAccepted {
            if record.isDoubtful {
                isDoubted = true
            } else {
                open(record.key).isDoubtful = true
            }
        }
        return isDoubted
    }

    /// Takes a row of a page.
    @inline(never)
    private mutating func adopt(_ row: Row) {
        if Rules.hasCreations { recogniseCreation(row) }
        observe(row)
        let slot = held.slot(of: row.key)
        // A tombstone of a record that this device does not have.
        if row.deletion != nil, held[slot] == nil { return }
        let isNews = held[slot]?.isNews(row) ?? true
        if !isNews, held[slot]?.mark == meta.sweep { return }
        let record = open(row.key, at: slot)
        record.mark = meta.sweep
        if isNews { record.adopt(row) }
    }

    @inline(never)
    private mutating func observe(_ row: Row) {
        for field in row.fields { meta.clock.observe(field.stamp) }
        if let deletion = row.deletion { meta.clock.observe(deletion) }
    }

    /// Recognises a creation of this device whose answer has not come.
    private mutating func recogniseCreation(_ row: Row) {
        guard !row.createdAs.isEmpty else { return }
        let temporary = RecordKey(kind: row.key.kind, id: row.createdAs)
        guard let found = held.find(temporary), found.isTemporary, let front = found.front else {
            return
        }
        let record = open(temporary)
        let change = record.changes[front]
        // Else others have changed it since, and those who made the changes behind have not seen it.
        var isUntouched = row.deletion == nil
        for field in row.fields where field.stamp.id != change.id { isUntouched = false }
        accept(record, change, row.version, isSeenBehind: isUntouched)
        rename(record, to: row.key)
    }
}
