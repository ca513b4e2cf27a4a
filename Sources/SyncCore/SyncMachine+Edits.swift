public import OutboxCore

/// A reason why an edit is not taken. Nothing has changed then.
public enum SyncEditError: Error, Hashable, Sendable {
    /// There is no such record to be seen.
    case noSuchRecord
    /// There is a record under this name.
    case recordExists
    /// The app's rules do not allow these fields.
    case invalid
    /// A name or a value is longer than ``SyncLimits`` allows, or there are too many fields.
    case tooLarge
    /// ``SyncLimits/pending`` changes wait.
    case full
    /// There is no such refused change.
    case noSuchEntry
}

extension SyncMachine {
    /// Creates a record, which is shown at once.
    ///
    /// - Parameters:
    ///   - key: The kind, and a temporary identifier: at least 128 random bits.
    ///   - values: The fields.
    ///   - now: The wall clock.
    /// - Returns: The effects to perform, in order.
    /// - Throws: A ``SyncEditError``.
    public mutating func create(
        _ key: RecordKey,
        _ values: [Field],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        precondition(Rules.hasCreations, "these rules know no creations")
        guard held.find(key) == nil else { throw .recordExists }
        let fields = resolved(values, in: key.kind)
        try check(fields, fields, of: key)
        return add(key, .create, fields, before: [], now: now)
    }

    /// Writes fields of a record. Values that are as they were are left out; if none is left, nothing
    /// happens.
    ///
    /// - Parameters:
    ///   - key: The record, also by its former temporary identifier.
    ///   - values: The fields to write.
    ///   - now: The wall clock.
    /// - Returns: The effects to perform, in order.
    /// - Throws: A ``SyncEditError``.
    public mutating func update(
        _ key: RecordKey,
        _ values: [Field],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        let key = name(key)
        guard let before = held.find(key)?.fields else { throw .noSuchRecord }
        var changed: [Field] = []
        for field in resolved(values, in: key.kind) where !before.has(field) {
            changed.append(field)
        }
        guard !changed.isEmpty else { return [] }
        let all = before.written(changed)
        try check(changed, all, of: key)
        var written: [Field] = []
        for field in all {
            for other in changed where isUnit(other.name, field.name, in: key.kind) {
                written.append(field)
                break
            }
        }
        return add(key, .update, written, before: before, now: now)
    }

    /// Makes a record exist with these fields: brings a deleted record back, or makes one under a name
    /// that all devices know. A record that is shown is updated.
    ///
    /// - Parameters:
    ///   - key: The record.
    ///   - values: All fields, for example those of the ``ShownRecord`` before its deletion.
    ///   - now: The wall clock.
    /// - Returns: The effects to perform, in order.
    /// - Throws: A ``SyncEditError``.
    public mutating func put(
        _ key: RecordKey,
        _ values: [Field],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        let key = name(key)
        if held.find(key)?.fields != nil { return try update(key, values, now: now) }
        let fields = resolved(values, in: key.kind)
        try check(fields, fields, of: key)
        return add(key, .put, fields, before: [], now: now)
    }

    /// Deletes a record, which disappears at once. ``put(_:_:now:)`` brings it back.
    ///
    /// - Returns: The effects to perform, in order.
    /// - Throws: A ``SyncEditError``.
    public mutating func delete(
        _ key: RecordKey,
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        let key = name(key)
        guard let before = held.find(key)?.fields else { throw .noSuchRecord }
        guard hasRoom else { throw .full }
        return add(key, .delete, [], before: before, now: now)
    }

    /// Whether one more change may wait. Without a limit nothing is counted.
    private var hasRoom: Bool { limits.pending == .max || pendingCount < limits.pending }

    /// Looks whether an edit may be taken.
    ///
    /// - Parameters:
    ///   - fields: The fields that are written.
    ///   - all: The fields that the record will have.
    ///   - key: The record.
    @inline(never)
    private func check(
        _ fields: [Field],
        _ all: [Field],
        of key: RecordKey
    ) throws(SyncEditError) {
        guard hasRoom else { throw .full }
        guard isWithinLimits(fields, of: key) else { throw .tooLarge }
        guard rules.isValid(all, in: key.kind) else { throw .invalid }
    }

    @inline(never)
    func isWithinLimits(_ fields: [Field], of key: RecordKey) -> Bool {
        for field in fields
        where field.name.count > limits.names || field.value.count > limits.value {
            return false
        }
        return max(fields.count, max(key.id.count, key.kind.count)) <= limits.names
    }

    /// The values in the order of their names, with the server's identifiers where they are known. Of
    /// values with one name the last one stays.
    @inline(never)
    func resolved(_ values: [Field], in kind: [UInt8]) -> [Field] {
        var fields: [Field] = []
        for value in values {
            var bytes = value.value
            if let referred = rules.reference(of: value.name, in: kind) {
                bytes = name(RecordKey(kind: referred, id: bytes)).id
            }
            fields.write(Field(name: value.name, value: bytes))
        }
        return fields
    }

    @inline(never)
    private mutating func add(
        _ key: RecordKey,
        _ intent: SyncChange.Intent,
        _ fields: [Field],
        before: [Field],
        now: WallTime
    ) -> [SyncEffect] {
        let meta = meta
        let record = open(key)
        let change = SyncChange(
            stamp: self.meta.clock.stamp(now: now),
            madeOn: record.seenVersion,
            intent: intent,
            fields: fields,
            before: before
        )
        record.changes.append(change)
        noteBusy(record)
        goOn(isWoken: false)
        return finish(since: meta)
    }
}
