public import StoreCore

/// Everything that a device holds of one record: the server's row and the pending changes over it.
///
/// This is what a shell stores: one value of bytes for each key, see ``encoded()``.
public struct SyncRecord: Entity, Hashable, Sendable {
    /// The name of the record.
    public let id: EntityID<SyncRecord>
    /// The server's row; a tombstone only while changes are pending.
    public internal(set) var base: Row?
    /// The number of the full pull in which the row was last heard of.
    var mark: UInt32 = 0
    /// Whether a pull has ended since a change was accepted, without the echo.
    var isDoubtful = false
    /// The changes, in the order in which the person made them: accepted ones first.
    public internal(set) var changes: [SyncChange] = []
    /// The server's identifier, if this was the temporary one; else empty.
    public internal(set) var movedTo: [UInt8] = []

    public typealias RawID = RecordKey

    public static func spread(_ rawID: RecordKey) -> UInt { rawID.spread }

    init(_ key: RecordKey) { id = EntityID(key) }

    /// The name of the record.
    public var key: RecordKey { id.rawValue }

    var isEmpty: Bool { base == nil && changes.isEmpty && movedTo.isEmpty }

    /// The position of the first change that the server has not accepted.
    var front: Int? {
        for position in changes.indices where !changes[position].isAccepted { return position }
        return nil
    }

    /// Whether the server has given no identifier yet.
    var isTemporary: Bool {
        guard let front else { return false }
        return changes[front].intent == .create
    }

    /// The version that a person sees who sees the record as it is now.
    var seenVersion: UInt64 {
        var version = base?.version ?? 0
        for change in changes {
            if case .accepted(let accepted) = change.state { version = max(version, accepted) }
        }
        return version
    }

    /// The fields as they are shown: the row with the changes over it; `nil` if there is no record.
    var fields: [Field]? {
        var fields = base.flatMap { $0.deletion == nil ? $0.fields : nil }
        for change in changes {
            switch change.intent {
            case .create: fields = change.stamped
            // A record that is gone elsewhere stays as the person saw it until an answer decides.
            case .update, .put:
                fields = (fields ?? change.before).overlaid(by: change.stamped)
            case .delete: fields = nil
            }
        }
        return fields
    }

    var word: RecordWord {
        var word = RecordWord.confirmed
        for change in changes {
            switch change.state {
            case .queued: word = max(word, .pending)
            case .sending: word = max(word, .sending)
            case .unknown, .asking: word = max(word, .unknown)
            case .refused: word = max(word, .refused)
            case .accepted: break
            }
        }
        return word
    }

    /// The record as it is shown; `nil` if there is none.
    var shown: ShownRecord? {
        if changes.isEmpty {
            guard let base, base.deletion == nil else { return nil }
            return ShownRecord(key: key, fields: base.fields, word: .confirmed)
        }
        return fields.map { ShownRecord(key: key, fields: $0, word: word) }
    }

    /// Takes a row unless it is older than the row that is held, and drops the changes that it echoes.
    ///
    /// - Returns: Whether the row was taken.
    mutating func adopt(_ row: Row, mark: UInt32) -> Bool {
        self.mark = mark
        if let base, row.version <= base.version { return false }
        base = row
        isDoubtful = false
        dropEchoed()
        return true
    }

    /// Drops the accepted changes whose echo has arrived, and a tombstone that nothing needs.
    mutating func dropEchoed() {
        guard let base else { return }
        if !changes.isEmpty {
            changes.removeAll {
                if case .accepted(let version) = $0.state { version <= base.version } else { false }
            }
        }
        if changes.isEmpty, base.deletion != nil { self.base = nil }
    }

    /// Removes a change that is not the server's and never will be.
    ///
    /// A change that brought the record back after a deletion that is removed changes what the person
    /// wrote since, and nothing else: the record was never gone.
    mutating func remove(at position: Int) {
        let removed = changes.remove(at: position)
        guard removed.intent == .delete, position < changes.count,
            changes[position].intent == .put, changes[position].before.isEmpty
        else { return }
        let id = changes[position].id
        changes[position].intent = .update
        changes[position].before = removed.before
        changes[position].madeOn = min(changes[position].madeOn, removed.madeOn)
        changes[position].fields.removeAll { removed.before[$0.name]?.value == $0.value }
        for field in removed.before
        where !changes[position].fields.contains(where: { $0.name == field.name }) {
            guard retarget(behind: position, field.name, from: id, to: field) else { continue }
            for later in changes.indices where later > position {
                changes[later].madeOn = min(changes[later].madeOn, removed.madeOn)
            }
        }
        if changes[position].fields.isEmpty { changes.remove(at: position) }
    }

    /// Lets the changes behind an edited one have seen the fields that it writes now and did not write
    /// before.
    mutating func follow(_ position: Int, since old: SyncChange) {
        for field in changes[position].stamped
        where !old.fields.contains(where: { $0.name == field.name }) {
            for later in changes.indices where later > position {
                let seen = changes[later].before[field.name]
                guard seen?.stamp.id == old.before[field.name]?.stamp.id else { break }
                changes[later].before.write(field)
            }
        }
    }

    /// Lets the changes behind a position take what they saw of one change for something else.
    ///
    /// - Parameter seen: The field to have been seen in place of that change's; `nil` for none.
    mutating func retarget(
        behind position: Int,
        _ name: [UInt8],
        from id: ChangeID,
        to seen: Field?
    ) -> Bool {
        var isFound = false
        for later in changes.indices where later > position {
            for place in changes[later].before.indices
            where changes[later].before[place].name == name
                && changes[later].before[place].stamp.id == id
            {
                isFound = true
                if let seen {
                    changes[later].before[place].stamp = seen.stamp
                } else {
                    changes[later].before.remove(at: place)
                }
                break
            }
        }
        return isFound
    }
}

/// The one honest word on a record.
public enum RecordWord: UInt8, Hashable, Comparable, Sendable {
    /// The server has everything that the person has done to the record.
    case confirmed
    /// A change waits to be sent.
    case pending
    /// A change is being sent.
    case sending
    /// A change was sent and its answer was lost: it may be applied or not.
    case unknown
    /// A change was refused, and a person has to choose.
    case refused

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A record as a person sees it: the server's row with the pending changes over it.
///
/// A record whose deletion is pending is not there; a record whose creation is pending is, at its
/// place.
public struct ShownRecord: Entity, Hashable, Sendable {
    /// The name of the record.
    public let id: EntityID<ShownRecord>
    /// The fields in the order of their names.
    public let fields: [Field]
    /// The state of the record's changes.
    public let word: RecordWord

    public typealias RawID = RecordKey

    public static func spread(_ rawID: RecordKey) -> UInt { rawID.spread }

    init(key: RecordKey, fields: [Field], word: RecordWord) {
        id = EntityID(key)
        self.fields = fields
        self.word = word
    }

    /// The name of the record.
    public var key: RecordKey { id.rawValue }

    /// The names and values, for example to restore the record after its deletion.
    public var values: [FieldValue] { fields.values }
}

/// A refused change, kept until a person chooses.
public struct SyncEntry: Hashable, Sendable {
    /// The record.
    public let key: RecordKey
    /// The change, with the person's values.
    public let change: SyncChange
    /// The reason.
    public let reason: RefusalReason
    /// The server's row, as far as it answered one; else the row that the device holds.
    public let server: Row?
}
