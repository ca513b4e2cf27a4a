extension SyncMachine {
    /// A decision on a change that met another one.
    private enum Decision {
        /// The rest of the change is pushed on the row that it met.
        case again
        /// Nothing of the change is left to push.
        case settled
        /// A person chooses.
        case manual
    }

    @inline(never)
    mutating func conflicted(
        _ record: SyncRecord,
        _ change: SyncChange,
        _ row: Row?,
        _ stamp: Stamp
    ) {
        var record = record
        change.stamp = stamp
        if Rules.hasCreations, change.intent == .create {
            // The record exists already: this is a restored backup.
            guard let row, areEqual(row.key.kind, record.key.kind) else {
                return refuse(record, change, .contradiction, row)
            }
            change.intent = .update
            change.madeOn = 0
            rename(record, to: row.key)
            record = open(row.key)
        } else if contradicts(row, change) {
            return refuse(record, change, .contradiction, row)
        }
        if let row, row.key == record.key { meet(row, record) }
        decide(record, change, row)
    }

    /// Whether the server refuses a change that it says fits. An update may have been made of a record
    /// that is deleted: a device shows such a record until an answer decides.
    private func contradicts(_ row: Row?, _ change: SyncChange) -> Bool {
        guard (row?.version ?? 0) == change.madeOn else { return false }
        if let row, row.deletion == nil { return true }
        return change.intent == .put
    }

    private mutating func decide(_ record: SyncRecord, _ change: SyncChange, _ row: Row?) {
        let old = SyncChange(copying: change)
        let theirs = row?.deletion == nil ? row : nil
        let decision: Decision
        if let theirs {
            decision =
                change.intent == .delete
                ? decideDeletion(change, theirs) : decideFields(change, theirs)
        } else {
            decision = decideWithoutRow(change, row, record.key)
        }
        let position = record.position(of: change)
        var isLost = false
        switch decision {
        case .manual: return refuse(record, change, .conflict, row)
        case .again:
            change.madeOn = row?.version ?? 0
            change.attempt += 1
            change.state = .queued
        case .settled: isLost = old.intent == .delete && theirs != nil
        }
        var lost: [Field] = []
        for field in old.fields {
            // In the field of a merge stands a value that the app has made of both.
            if decision == .again, change.fields[field.name] != nil { continue }
            if let theirs, theirs.fields.has(field) { continue }
            lost.append(field)
        }
        follow(record, position, old, change, theirs)
        if decision == .settled {
            if theirs == nil {
                record.drop(change)
            } else {
                record.remove(at: position)
            }
        }
        record.dropEchoed()
        if !lost.isEmpty || isLost { perform(.overruled(record.key, old.id, lost)) }
    }

    /// Tells the changes behind what became of the fields that they were made on.
    private func follow(
        _ record: SyncRecord,
        _ position: Int,
        _ old: SyncChange,
        _ new: SyncChange,
        _ theirs: Row?
    ) {
        for field in old.fields where !new.fields.has(field) {
            let isEqual = theirs?.fields.has(field) ?? false
            let seen = isEqual ? theirs?.fields[field.name] : old.before[field.name]
            let isFollowed = record.retarget(
                behind: position,
                field.name,
                from: old.id,
                to: seen?.stamp
            )
            // The person did not see the value that stands now: the next push must meet it.
            if isFollowed, !isEqual { record.lower(behind: position, to: old.madeOn) }
        }
    }

    private func decideFields(_ change: SyncChange, _ row: Row) -> Decision {
        let kind = row.key.kind
        let policy = rules.policy(for: kind)
        var kept: [Field] = []
        var isMet = false
        for field in change.fields {
            if isWritten(change, field.name, in: row) { continue }
            guard let newest = newest(row, unseenBy: change, besides: field.name) else {
                kept.append(field)
                continue
            }
            isMet = true
            if policy == .clientWins
                || policy == .newerWins && isNewer(change, field.name, newest, row)
            {
                kept.append(field)
            }
        }
        if isMet, policy == .manual { return .manual }
        if isMet, policy == .merge {
            guard let merged = merged(change, row, row.key) else { return .manual }
            kept = []
            for field in merged where !row.fields.has(field) { kept.append(field) }
        }
        change.fields = kept
        change.before = row.fields
        change.intent = .update
        return kept.isEmpty ? .settled : .again
    }

    /// The latest stamp of the values in a row that the person of a change has not seen.
    ///
    /// - Parameter name: A field; only the values of its unit count. `nil` for all values.
    @inline(never)
    private func newest(
        _ row: Row,
        unseenBy change: SyncChange,
        besides name: [UInt8]?
    ) -> Stamp? {
        var newest: Stamp?
        for field in row.fields {
            if let name, !isUnit(name, field.name, in: row.key.kind) { continue }
            let writer = field.stamp.id
            if writer == change.id || writer == change.before[field.name]?.stamp.id { continue }
            newest = max(newest ?? field.stamp, field.stamp)
        }
        return newest
    }

    /// Whether a row has all values of a change in the unit of a field.
    @inline(never)
    private func isWritten(_ change: SyncChange, _ name: [UInt8], in row: Row) -> Bool {
        for field in change.fields
        where isUnit(name, field.name, in: row.key.kind) && !row.fields.has(field) {
            return false
        }
        return true
    }

    /// By stamp, and for equal stamps, which only clones make, by bytes.
    @inline(never)
    private func isNewer(
        _ change: SyncChange,
        _ name: [UInt8],
        _ theirs: Stamp,
        _ row: Row
    ) -> Bool {
        if change.stamp != theirs { return theirs < change.stamp }
        for field in change.fields where isUnit(name, field.name, in: row.key.kind) {
            if let value = row.fields[field.name]?.value, !areEqual(value, field.value) {
                return precedes(value, field.value)
            }
        }
        return false
    }

    /// Whether two names belong to one unit.
    @inline(never)
    func isUnit(_ name: [UInt8], _ other: [UInt8], in kind: [UInt8]) -> Bool {
        guard let group = rules.group(of: name, in: kind) else { return areEqual(name, other) }
        return rules.group(of: other, in: kind) == group
    }

    /// The app's merge, if its result may be stored.
    @inline(never)
    private func merged(_ change: SyncChange, _ theirs: Row?, _ key: RecordKey) -> [Field]? {
        let merged = rules.merge(
            key.kind,
            base: change.before.values,
            mine: change.before.written(change.fields),
            theirs: theirs?.fields.values
        )
        guard let merged else { return nil }
        let fields = resolved(merged, in: key.kind)
        guard rules.isValid(fields, in: key.kind), isWithinLimits(fields, of: key) else {
            return nil
        }
        return fields
    }

    private func decideDeletion(_ change: SyncChange, _ row: Row) -> Decision {
        if let newest = newest(row, unseenBy: change, besides: nil) {
            switch rules.policy(for: row.key.kind) {
            case .serverWins: return .settled
            case .newerWins: if change.stamp < newest { return .settled }
            case .manual, .merge: return .manual
            case .clientWins: break
            }
        }
        change.before = row.fields
        return .again
    }

    /// The record is deleted at the server, or the server has never had it or no longer knows it.
    private func decideWithoutRow(_ change: SyncChange, _ row: Row?, _ key: RecordKey) -> Decision {
        switch change.intent {
        case .delete: return .settled
        // A person wants it back, whoever deleted it.
        case .put: return .again
        case .create, .update: break
        }
        switch rules.policy(for: key.kind) {
        case .serverWins: return .settled
        case .clientWins: break
        case .newerWins:
            if let deletion = row?.deletion, change.stamp < deletion { return .settled }
        case .manual: return .manual
        case .merge:
            guard let merged = merged(change, nil, key) else { return .manual }
            change.fields = merged
        }
        change.becomePut(on: row)
        return .again
    }
}
