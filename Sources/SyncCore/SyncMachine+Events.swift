internal import OutboxCore
internal import StoreCore

extension SyncMachine {
    /// Handles one event. An event that does not fit the state changes nothing.
    ///
    /// - Returns: The effects to perform, in order.
    /// - Complexity: O(*p*) for *p* changes, and O(*r* log *n*) for *r* rows of a page.
    public mutating func handle(_ event: SyncEvent) -> [SyncEffect] {
        collect { machine in
            switch event {
            case .woken:
                machine.beginPull()
                machine.goOn(isWoken: true)
            case .refresh:
                machine.beginSweep()
            case .pulled(let request, let answer, let serverTime):
                machine.pulled(request, answer, serverTime)
            case .pullFailed(let request):
                machine.pullFailed(request)
            case .answered(let id, let attempt, let answer, let serverTime):
                machine.meta.clock.hear(serverTime: serverTime)
                machine.answered(id, attempt, .sending, answer)
            case .unanswered(let id, let attempt):
                machine.unanswered(id, attempt)
            case .asked(let id, let attempt, let answer, let serverTime):
                machine.meta.clock.hear(serverTime: serverTime)
                machine.answered(id, attempt, .asking, answer)
            case .timeTold(let serverTime):
                machine.meta.clock.hear(serverTime: serverTime)
            case .nodeMade(let node):
                guard machine.isNodeAwaited else { return }
                machine.isNodeAwaited = false
                machine.meta.clock.node = node
                machine.goOn(isWoken: false)
            }
        }
    }

    // MARK: Pushing

    /// Begins the pushes and, after a wake-up, the questions for which there is a place.
    mutating func goOn(isWoken: Bool) {
        guard !isNodeAwaited else { return }
        var places = limits.underWay
        for key in busy {
            guard let record = record(key), let front = record.front else { continue }
            if record.changes[front].isUnderWay { places -= 1 }
        }
        for key in busy where places > 0 {
            guard let record = record(key), let front = record.front else { continue }
            switch record.changes[front].state {
            case .queued:
                guard !refersToTemporary(record.changes[front], in: key.kind) else { continue }
                if record.changes[front].id.node != meta.clock.node {
                    renumber(key, from: front, now: nil)
                }
                change(key) { $0.changes[front].state = .sending }
                guard let sent = self.record(key)?.changes[front] else { continue }
                perform(.push(sent.request(key: key, settledThrough: settledThrough)))
                places -= 1
            case .unknown where isWoken:
                change(key) { $0.changes[front].state = .asking }
                let request = record.changes[front].request(key: key, settledThrough: 0)
                perform(.ask(request.question))
                places -= 1
            case .unknown, .sending, .asking, .accepted, .refused: continue
            }
        }
    }

    /// The number through which the server may forget its answers: all changes of this node with
    /// smaller numbers are accepted, refused or gone. A refused change gets another number before it
    /// is pushed again.
    private var settledThrough: UInt64 {
        var least = meta.clock.number + 1
        for key in busy {
            guard let record = record(key) else { continue }
            for change in record.changes
            where change.id.node == meta.clock.node && !change.isAccepted && !change.isRefused {
                least = min(least, change.id.number)
            }
        }
        return least - 1
    }

    private func refersToTemporary(_ change: SyncChange, in kind: [UInt8]) -> Bool {
        change.fields.contains { field in
            guard let referred = rules.reference(of: field.name, in: kind) else { return false }
            return record(RecordKey(kind: referred, id: field.value))?.isTemporary ?? false
        }
    }

    /// Gives the changes of a record, from a position on, new stamps of the present node. None of
    /// them may have been applied.
    ///
    /// - Parameter now: The wall clock, for a decision of now; `nil` keeps the times.
    mutating func renumber(_ key: RecordKey, from first: Int, now: WallTime?) {
        guard let count = record(key)?.changes.count else { return }
        for position in first..<count {
            let next = meta.clock.stamp(now: now ?? .distantPast)
            change(key) { record in
                let old = record.changes[position].id
                let time = now == nil ? record.changes[position].stamp.time : next.time
                record.changes[position].stamp = Stamp(time: time, id: next.id)
                record.changes[position].attempt = 0
                for field in record.changes[position].stamped {
                    _ = record.retarget(behind: position, field.name, from: old, to: field)
                }
            }
        }
    }

    /// The place of a change that is in one state and one attempt.
    private func find(
        _ id: ChangeID,
        _ attempt: UInt32,
        where isRight: (SyncChange) -> Bool
    ) -> (key: RecordKey, position: Int)? {
        for key in busy {
            guard let changes = record(key)?.changes else { continue }
            for position in changes.indices
            where changes[position].id == id && changes[position].attempt == attempt
                && isRight(changes[position])
            {
                return (key, position)
            }
        }
        return nil
    }

    private mutating func unanswered(_ id: ChangeID, _ attempt: UInt32) {
        guard let (key, position) = find(id, attempt, where: { $0.isUnderWay }) else { return }
        change(key) { $0.changes[position].state = .unknown }
        goOn(isWoken: false)
    }

    private mutating func answered(
        _ id: ChangeID,
        _ attempt: UInt32,
        _ state: SyncChange.State,
        _ answer: PushAnswer?
    ) {
        guard let (key, position) = find(id, attempt, where: { $0.state == state }) else { return }
        switch answer {
        case nil: change(key) { $0.changes[position].state = .queued }
        case .accepted(let recordID, let version, let stamp):
            accepted(key, position, recordID, version, stamp)
        case .conflict(let row, let stamp):
            conflicted(key, position, row, stamp)
        case .refused(let reason, let row):
            if let row, row.key == key { adopt(row) }
            refuse(key, id, reason, row)
        case .newNode:
            change(key) { $0.changes[position].state = .queued }
            if id.node == meta.clock.node {
                isNodeAwaited = true
                perform(.makeNode)
            }
        }
        goOn(isWoken: false)
    }

    mutating func refuse(_ key: RecordKey, _ id: ChangeID, _ reason: RefusalReason, _ row: Row?) {
        change(key) { record in
            for position in record.changes.indices where record.changes[position].id == id {
                record.changes[position].state = .refused(reason, row)
            }
        }
        perform(.refused(key, id))
    }

    private mutating func accepted(
        _ key: RecordKey,
        _ position: Int,
        _ recordID: [UInt8],
        _ version: UInt64,
        _ stamp: Stamp
    ) {
        let isCreation = record(key)?.changes[position].intent == .create
        let sweep = meta.sweep
        change(key) { record in
            let madeOn = record.changes[position].madeOn
            record.changes[position].state = .accepted(version)
            record.changes[position].stamp = stamp
            // Those who made the changes behind saw the row that this change has made.
            for later in record.changes.indices
            where later > position && record.changes[later].madeOn == madeOn {
                record.changes[later].madeOn = version
            }
            record.mark = sweep
            record.isDoubtful = false
            record.dropEchoed()
        }
        if isCreation { rename(key, to: RecordKey(kind: key.kind, id: recordID)) }
        switch pulling {
        case .pulling: pulling = .pulling(again: true)
        case .idle: beginPull()
        }
    }

    /// Replaces a temporary identifier everywhere.
    mutating func rename(_ old: RecordKey, to new: RecordKey) {
        guard let temporary = record(old), old != new else { return }
        change(old) { record in
            record.changes = []
            record.base = nil
            record.movedTo = new.id
        }
        change(new) { record in
            record.changes += temporary.changes
            record.mark = max(record.mark, temporary.mark)
            record.dropEchoed()
        }
        for key in busy {
            guard let record = record(key) else { continue }
            let isReferring = record.changes.contains { change in
                change.fields.contains { refers($0.name, $0.value, in: key.kind, to: old) }
                    || change.before.contains { refers($0.name, $0.value, in: key.kind, to: old) }
            }
            guard isReferring else { continue }
            let rules = rules
            change(key) { record in
                for position in record.changes.indices {
                    record.changes[position].replace(old.id, by: new.id) { name, value in
                        rules.reference(of: name, in: key.kind) == old.kind && value == old.id
                    }
                }
            }
        }
        perform(.renamed(from: old, to: new))
    }

    private func refers(
        _ name: [UInt8],
        _ value: [UInt8],
        in kind: [UInt8],
        to key: RecordKey
    ) -> Bool {
        value == key.id && rules.reference(of: name, in: kind) == key.kind
    }

    /// The changes of other records that refer to a record that will never be.
    mutating func refuseReferences(to key: RecordKey) {
        for other in busy where other != key {
            guard let record = record(other) else { continue }
            for change in record.changes where !change.isRefused {
                let isReferring = change.fields.contains {
                    refers($0.name, $0.value, in: other.kind, to: key)
                }
                if isReferring { refuse(other, change.id, .referenceDiscarded, nil) }
            }
        }
    }

    // MARK: Pulling

    mutating func beginPull() {
        guard pulling == .idle else { return }
        lastRequest += 1
        pulling = .pulling(again: false)
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

    private mutating func pullFailed(_ request: UInt64) {
        guard pulling != .idle, request == lastRequest else { return }
        pulling = .idle
    }

    private mutating func pulled(
        _ request: UInt64,
        _ answer: PullAnswer,
        _ serverTime: WallTime
    ) {
        meta.clock.hear(serverTime: serverTime)
        guard case .pulling(let again) = pulling, request == lastRequest else { return }
        pulling = .idle
        switch answer {
        case .cursorForgotten:
            // Without a cursor there is nothing to forget.
            if meta.cursor == nil { perform(.pullStalled) } else { beginSweep() }
        case .page(let rows, let cursor, let hasMore):
            for row in rows { adopt(row) }
            let isStuck = hasMore && meta.cursor == cursor
            meta.cursor = cursor
            if isStuck {
                perform(.pullStalled)
            } else if hasMore {
                beginPull()
                pulling = .pulling(again: again)
            } else {
                meta.lastPulled = max(meta.lastPulled ?? serverTime, serverTime)
                if meta.isSweeping { endSweep() }
                let isDoubted = doubtEchoes()
                if isDoubted {
                    beginSweep()
                } else if again {
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
        for record in records where record.mark != meta.sweep {
            guard record.base != nil || record.changes.contains(where: { $0.isAccepted }) else {
                continue
            }
            change(record.key) { record in
                record.base = nil
                record.changes.removeAll { $0.isAccepted }
            }
        }
    }

    /// Looks for accepted changes whose echo has not come although a whole pull began after their
    /// answer. Their record may be gone, and its tombstone forgotten before a pull could bring it: a
    /// full pull tells.
    private mutating func doubtEchoes() -> Bool {
        var isDoubted = false
        for key in busy {
            guard let record = record(key), record.changes.contains(where: { $0.isAccepted }) else {
                continue
            }
            if record.isDoubtful {
                isDoubted = true
            } else {
                change(key) { $0.isDoubtful = true }
            }
        }
        return isDoubted
    }

    /// Takes a row that the server has told.
    mutating func adopt(_ row: Row) {
        for field in row.fields { meta.clock.observe(field.stamp) }
        if let deletion = row.deletion { meta.clock.observe(deletion) }
        recogniseCreation(row)
        let sweep = meta.sweep
        // A tombstone of a record that this device does not have.
        if row.deletion != nil, record(row.key) == nil { return }
        change(row.key) { _ = $0.adopt(row, mark: sweep) }
    }

    /// Recognises a creation of this device whose answer has not come.
    private mutating func recogniseCreation(_ row: Row) {
        guard !row.createdAs.isEmpty else { return }
        let temporary = RecordKey(kind: row.key.kind, id: row.createdAs)
        guard let record = record(temporary), let front = record.front,
            record.changes[front].intent == .create
        else { return }
        let id = record.changes[front].id
        // Else others have changed it since, and those who made the changes behind have not seen it.
        let isUntouched = row.deletion == nil && row.fields.allSatisfy { $0.stamp.id == id }
        change(temporary) { record in
            record.changes[front].state = .accepted(row.version)
            for later in record.changes.indices where later > front && isUntouched {
                if record.changes[later].madeOn == 0 { record.changes[later].madeOn = row.version }
            }
        }
        rename(temporary, to: row.key)
    }
}

extension SyncChange {
    /// Replaces an identifier in the fields that refer to it.
    fileprivate mutating func replace(
        _ old: [UInt8],
        by new: [UInt8],
        where refers: ([UInt8], [UInt8]) -> Bool
    ) {
        fields = fields.map {
            refers($0.name, $0.value) ? FieldValue(name: $0.name, value: new) : $0
        }
        for position in before.indices
        where refers(before[position].name, before[position].value) {
            before[position].value = new
        }
    }
}
