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
        guard let (key, position) = entry(id) else { throw .noSuchEntry }
        return collect { $0.queueAgain(key, position, now: now) }
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
        _ values: [FieldValue],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        guard let (key, position) = entry(id), let record = record(key),
            record.changes[position].intent != .delete
        else { throw .noSuchEntry }
        let change = record.changes[position]
        let fields = change.stamped.written(resolved(values, in: key.kind))
        guard isWithinLimits(fields, of: key) else { throw .tooLarge }
        guard rules.isValid(change.before.written(fields), in: key.kind) else { throw .invalid }
        return collect { machine in
            machine.change(key) { record in
                record.changes[position].fields = fields
                record.follow(position, since: change)
            }
            machine.queueAgain(key, position, now: now)
        }
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
        guard let (key, position) = entry(id) else { throw .noSuchEntry }
        return collect { machine in
            let isCreation = machine.record(key)?.changes[position].intent == .create
            machine.change(key) { record in
                let change = record.changes[position]
                if isCreation {
                    record.changes = []
                    return
                }
                for field in change.fields {
                    let seen = change.before[field.name]
                    _ = record.retarget(behind: position, field.name, from: change.id, to: seen)
                }
                record.remove(at: position)
                record.dropEchoed()
            }
            if isCreation { machine.refuseReferences(to: key) }
            machine.goOn(isWoken: false)
        }
    }

    private func entry(_ id: ChangeID) -> (key: RecordKey, position: Int)? {
        for key in busy {
            guard let changes = record(key)?.changes else { continue }
            for position in changes.indices
            where changes[position].id == id && changes[position].isRefused {
                return (key, position)
            }
        }
        return nil
    }

    private mutating func queueAgain(_ key: RecordKey, _ position: Int, now: WallTime) {
        change(key) { record in
            guard case .refused(let reason, let row) = record.changes[position].state else {
                return
            }
            record.changes[position].state = .queued
            guard reason == .conflict, record.changes[position].intent != .create else { return }
            if let row, row.deletion == nil {
                record.changes[position].before = row.fields
                record.changes[position].madeOn = row.version
            } else {
                record.changes[position].becomePut(on: row)
            }
        }
        renumber(key, from: position, now: now)
        goOn(isWoken: false)
    }
}
