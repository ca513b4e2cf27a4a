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
        _ values: [FieldValue],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        guard record(key) == nil else { throw .recordExists }
        let fields = resolved(values, in: key.kind)
        try check(fields, of: key)
        guard rules.isValid(fields, in: key.kind) else { throw .invalid }
        return add(key, .create, fields, madeOn: 0, before: [], now: now)
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
        _ values: [FieldValue],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        let key = name(key)
        guard let record = record(key), let fields = record.fields else { throw .noSuchRecord }
        let resolved = resolved(values, in: key.kind)
        try check(resolved, of: key)
        let changed = resolved.filter { fields[$0.name]?.value != $0.value }
        guard !changed.isEmpty else { return [] }
        let all = fields.written(changed)
        guard rules.isValid(all, in: key.kind) else { throw .invalid }
        let groups = changed.compactMap { rules.group(of: $0.name, in: key.kind) }
        let written = all.filter { field in
            if changed.contains(where: { $0.name == field.name }) { return true }
            guard let group = rules.group(of: field.name, in: key.kind) else { return false }
            return groups.contains(group)
        }
        return add(
            key,
            .update,
            written,
            madeOn: record.seenVersion,
            before: fields,
            now: now
        )
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
        _ values: [FieldValue],
        now: WallTime
    ) throws(SyncEditError) -> [SyncEffect] {
        let key = name(key)
        let record = record(key)
        if record?.fields != nil { return try update(key, values, now: now) }
        let fields = resolved(values, in: key.kind)
        try check(fields, of: key)
        guard rules.isValid(fields, in: key.kind) else { throw .invalid }
        return add(
            key,
            .put,
            fields,
            madeOn: record?.seenVersion ?? 0,
            before: [],
            now: now
        )
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
        guard let record = record(key), let fields = record.fields else { throw .noSuchRecord }
        guard pendingCount < limits.pending else { throw .full }
        return add(
            key,
            .delete,
            [],
            madeOn: record.seenVersion,
            before: fields,
            now: now
        )
    }

    private func check(_ fields: [FieldValue], of key: RecordKey) throws(SyncEditError) {
        guard pendingCount < limits.pending else { throw .full }
        guard isWithinLimits(fields, of: key) else { throw .tooLarge }
    }

    func isWithinLimits(_ fields: [FieldValue], of key: RecordKey) -> Bool {
        fields.count <= limits.names && key.id.count <= limits.names
            && key.kind.count <= limits.names
            && fields.allSatisfy {
                $0.name.count <= limits.names && $0.value.count <= limits.value
            }
    }

    /// The values in the order of their names, with the server's identifiers where they are known. Of
    /// values with one name the last one stays.
    func resolved(_ values: [FieldValue], in kind: [UInt8]) -> [FieldValue] {
        let none = Stamp(time: .distantPast, id: ChangeID(number: 0, node: NodeID(high: 0, low: 0)))
        var fields: [Field] = []
        for value in values {
            var bytes = value.value
            if let referred = rules.reference(of: value.name, in: kind) {
                bytes = name(RecordKey(kind: referred, id: bytes)).id
            }
            fields.write(Field(name: value.name, value: bytes, stamp: none))
        }
        return fields.values
    }

    private mutating func add(
        _ key: RecordKey,
        _ intent: SyncChange.Intent,
        _ fields: [FieldValue],
        madeOn: UInt64,
        before: [Field],
        now: WallTime
    ) -> [SyncEffect] {
        collect { machine in
            let change = SyncChange(
                stamp: machine.meta.clock.stamp(now: now),
                madeOn: madeOn,
                intent: intent,
                fields: fields,
                before: before
            )
            machine.change(key) { $0.changes.append(change) }
            machine.goOn(isWoken: false)
        }
    }
}

extension [Field] {
    /// The values of these fields with others written over them.
    func written(_ values: [FieldValue]) -> [FieldValue] {
        var fields = self
        for value in values {
            let none = ChangeID(number: 0, node: NodeID(high: 0, low: 0))
            fields.write(
                Field(
                    name: value.name,
                    value: value.value,
                    stamp: Stamp(time: .distantPast, id: none)
                )
            )
        }
        return fields.values
    }
}
