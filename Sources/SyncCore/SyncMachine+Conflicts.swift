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

    mutating func conflicted(
        _ key: RecordKey,
        _ position: Int,
        _ row: Row?,
        _ stamp: Stamp
    ) {
        var key = key
        var position = position
        change(key) { $0.changes[position].stamp = stamp }
        guard let id = record(key)?.changes[position].id else { return }
        if record(key)?.changes[position].intent == .create {
            // The record exists already: this is a restored backup.
            guard let row, row.key.kind == key.kind else {
                return refuse(key, id, .contradiction, row)
            }
            change(key) { record in
                record.changes[position].intent = .update
                record.changes[position].madeOn = 0
            }
            rename(key, to: row.key)
            key = row.key
            guard let found = record(key)?.changes.firstIndex(where: { $0.id == id }) else {
                return
            }
            position = found
        } else if let change = record(key)?.changes[position], contradicts(row, change) {
            return refuse(key, id, .contradiction, row)
        }
        if let row, row.key == key { adoptMet(row) }
        guard let met = record(key), let place = met.changes.firstIndex(where: { $0.id == id })
        else { return }
        decide(met, place, row)
    }

    /// Whether the server refuses a change that it says fits. An update may have been made of a record
    /// that is deleted: a device shows such a record until an answer decides.
    private func contradicts(_ row: Row?, _ change: SyncChange) -> Bool {
        guard (row?.version ?? 0) == change.madeOn else { return false }
        if let row, row.deletion == nil { return true }
        return change.intent == .put
    }

    /// Takes the row that a change met, also a tombstone.
    private mutating func adoptMet(_ row: Row) {
        for field in row.fields { meta.clock.observe(field.stamp) }
        if let deletion = row.deletion { meta.clock.observe(deletion) }
        let sweep = meta.sweep
        change(row.key) { _ = $0.adopt(row, mark: sweep) }
    }

    private mutating func decide(_ met: SyncRecord, _ position: Int, _ row: Row?) {
        var record = met
        var change = record.changes[position]
        let key = record.key
        let old = change
        let theirs = row?.deletion == nil ? row : nil
        let decision: Decision
        if let theirs {
            decision =
                change.intent == .delete
                ? decideDeletion(&change, theirs) : decideFields(&change, theirs)
        } else {
            decision = decideWithoutRow(&change, row, key)
        }
        var lost: [FieldValue] = []
        switch decision {
        case .manual:
            refuse(key, old.id, .conflict, row)
            return
        case .again:
            change.madeOn = row?.version ?? 0
            change.attempt += 1
            change.state = .queued
            record.changes[position] = change
            lost = old.fields.filter { field in
                !change.fields.contains(field) && theirs?.fields[field.name]?.value != field.value
            }
        case .settled:
            if let theirs {
                lost = old.fields.filter { theirs.fields[$0.name]?.value != $0.value }
            } else {
                lost = old.intent == .delete ? [] : old.fields
            }
        }
        follow(&record, position, old, change, theirs)
        if decision == .settled {
            if theirs == nil {
                record.changes.remove(at: position)
            } else {
                record.remove(at: position)
            }
        }
        let changed = record.changes
        self.change(key) { record in
            record.changes = changed
            record.dropEchoed()
        }
        let isDeletionLost = decision == .settled && old.intent == .delete && theirs != nil
        if !lost.isEmpty || isDeletionLost { perform(.overruled(key, old.id, lost)) }
    }

    /// Tells the changes behind what became of the fields that they were made on.
    private func follow(
        _ record: inout SyncRecord,
        _ position: Int,
        _ old: SyncChange,
        _ new: SyncChange,
        _ theirs: Row?
    ) {
        for field in old.fields where !new.fields.contains(where: { $0.name == field.name }) {
            let their = theirs?.fields[field.name]
            let isEqual = their != nil && their?.value == field.value
            let seen = isEqual ? their : old.before[field.name]
            let isFollowed = record.retarget(
                behind: position,
                field.name,
                from: old.id,
                to: seen
            )
            // The person did not see the value that stands now: the next push must meet it.
            guard isFollowed, !isEqual else { continue }
            for later in record.changes.indices where later > position {
                record.changes[later].madeOn = min(record.changes[later].madeOn, old.madeOn)
            }
        }
    }

    private func decideFields(_ change: inout SyncChange, _ row: Row) -> Decision {
        let kind = row.key.kind
        let policy = rules.policy(for: kind)
        var kept: [FieldValue] = []
        var isMet = false
        for field in change.fields {
            let unit = unit(of: field.name, in: kind)
            let mine = change.fields.filter { unit($0.name) }
            if mine.allSatisfy({ row.fields[$0.name]?.value == $0.value }) { continue }
            let unseen = row.fields.filter { theirs in
                unit(theirs.name) && theirs.stamp.id != change.id
                    && theirs.stamp.id != change.before[theirs.name]?.stamp.id
            }
            guard let newest = unseen.map({ $0.stamp }).max() else {
                kept.append(field)
                continue
            }
            isMet = true
            switch policy {
            case .serverWins: break
            case .clientWins: kept.append(field)
            case .newerWins:
                if isNewer(change, mine, than: newest, row) { kept.append(field) }
            case .manual, .merge: break
            }
        }
        if isMet, policy == .manual { return .manual }
        if isMet, policy == .merge {
            guard let merged = merged(change, row, row.key) else { return .manual }
            kept = merged.filter { row.fields[$0.name]?.value != $0.value }
        }
        change.fields = kept
        change.before = row.fields
        change.intent = .update
        return kept.isEmpty ? .settled : .again
    }

    /// By stamp, and for equal stamps, which only clones make, by bytes.
    private func isNewer(
        _ change: SyncChange,
        _ mine: [FieldValue],
        than theirs: Stamp,
        _ row: Row
    ) -> Bool {
        if change.stamp != theirs { return theirs < change.stamp }
        for field in mine {
            guard let value = row.fields[field.name]?.value, value != field.value else { continue }
            return value.lexicographicallyPrecedes(field.value)
        }
        return false
    }

    /// Whether a name belongs to the unit of another one.
    private func unit(of name: [UInt8], in kind: [UInt8]) -> ([UInt8]) -> Bool {
        guard let group = rules.group(of: name, in: kind) else { return { $0 == name } }
        let rules = rules
        return { rules.group(of: $0, in: kind) == group }
    }

    /// The app's merge, if its result may be stored.
    private func merged(
        _ change: SyncChange,
        _ theirs: Row?,
        _ key: RecordKey
    ) -> [FieldValue]? {
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

    private func decideDeletion(_ change: inout SyncChange, _ row: Row) -> Decision {
        let unseen = row.fields.filter {
            $0.stamp.id != change.before[$0.name]?.stamp.id && $0.stamp.id != change.id
        }
        if let newest = unseen.map({ $0.stamp }).max() {
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
    private func decideWithoutRow(
        _ change: inout SyncChange,
        _ row: Row?,
        _ key: RecordKey
    ) -> Decision {
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
