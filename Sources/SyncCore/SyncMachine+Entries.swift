public import OutboxCore

// The choices of a person on a refused change.
extension SyncMachine {
    /// Pushes a refused change again, as a decision of now. After a conflict this keeps the person's
    /// version.
    ///
    /// - Parameters:
    ///   - id: The change.
    ///   - now: The wall clock.
    /// - Returns: The effects to perform, in order.
    /// - Throws: ``SyncEditError/noSuchEntry``.
    public mutating func tryAgain(
        _ id: ChangeID,
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        let before = meta
        let (record, position) = try openEntry(id)
        return queueAgain(record, position, now: now, since: before)
    }

    /// Pushes a refused change again with other values.
    ///
    /// - Parameters:
    ///   - id: The change; not a deletion.
    ///   - values: The fields to write in place of, or beside, those of the change.
    ///   - now: The wall clock.
    /// - Returns: The effects to perform, in order.
    /// - Throws: A ``SyncEditError``; then nothing has changed.
    public mutating func edit(
        _ id: ChangeID,
        _ values: [Field],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        guard let (held, position) = find(id) else { throw .noSuchEntry }
        let change = held.changes[position]
        guard change.state == .refused, change.intent != .delete else { throw .noSuchEntry }
        let fields = change.fields.overlaid(by: resolved(values, in: held.key.kind))
        guard isWithinLimits(fields, of: held.key) else { throw .tooLarge }
        guard rules.isValid(change.before.written(fields), in: held.key.kind) else {
            throw .invalid
        }
        let before = meta
        let record = open(held.key)
        record.changes[position].fields = fields
        record.follow(position, since: change.fields)
        return queueAgain(record, position, now: now, since: before)
    }

    /// Gives a refused change up: the record shows the server's values. After a conflict this keeps
    /// the server's version.
    ///
    /// Giving up a creation gives up the changes of that record behind it, too. Changes of other
    /// records that refer to it are refused.
    ///
    /// - Parameter id: The change.
    /// - Returns: The effects to perform, in order.
    /// - Throws: ``SyncEditError/noSuchEntry``.
    public mutating func discard(_ id: ChangeID) throws(SyncEditError) -> [SyncEffect] {
        let before = meta
        let (record, position) = try openEntry(id)
        let change = record.changes[position]
        if Rules.hasCreations, change.intent == .create {
            record.changes = []
            refuseReferences(to: record.key)
        } else {
            for field in change.fields {
                // The change hid what came since it was made: the next push must meet that.
                let isSeen = record.retarget(
                    behind: position,
                    field.name,
                    from: change.id,
                    to: change.before[field.name]?.stamp,
                    of: change.madeOn
                )
                if isSeen {
                    record.lower(behind: position, to: change.madeOn)
                }
            }
            record.remove(at: position)
            record.dropEchoed()
        }
        goOn(isWoken: false)
        return finish(since: before)
    }

    /// The record and the place of a refused change, to be changed.
    @inline(never)
    private mutating func openEntry(
        _ id: ChangeID
    ) throws(SyncEditError) -> (record: SyncRecord, position: Int) {
        guard let (record, position) = find(id), record.changes[position].state == .refused else {
            throw .noSuchEntry
        }
        return (open(record.key), position)
    }

    @inline(never)
    private mutating func queueAgain(
        _ record: SyncRecord,
        _ position: Int,
        now: WallTime,
        since before: SyncMeta
    ) -> [SyncEffect] {
        let change = record.changes[position]
        change.state = .queued
        if change.reason == .conflict, change.intent != .create {
            if let row = change.met, row.deletion == nil {
                // A change that brings the record back was made on what the deletion was made on.
                if change.intent != .delete { change.before = row.fields }
                change.madeOn = row.version
            } else {
                change.becomePut(on: change.met)
            }
        }
        change.reason = nil
        change.met = nil
        renumber(record, from: position, now: now)
        goOn(isWoken: false)
        return finish(since: before)
    }
}
