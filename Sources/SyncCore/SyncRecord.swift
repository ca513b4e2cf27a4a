public import StoreCore

/// Everything that a device holds of one record: the server's row and the pending changes over it.
///
/// This is what a shell stores: one value of bytes for each key, see ``encoded()``. A record that a
/// machine has handed out stays as it is: the machine goes on with a copy.
public final class SyncRecord: @unchecked Sendable {
    /// The name of the record.
    public let key: RecordKey
    /// The server's row; a tombstone only while changes are pending.
    public internal(set) var base: Row?
    /// The number of the full pull in which the row was last heard of.
    var mark: UInt32 = 0
    /// Whether a pull has ended since a change was accepted, without the echo.
    var isDoubtful = false
    /// The changes, in the order in which the person made them: accepted ones first.
    public package(set) var changes: [SyncChange] = []
    /// The server's identifier, if this was the temporary one; else empty.
    public internal(set) var movedTo: [UInt8] = []
    /// Whether this is the copy that the present event works on.
    var isOpen = false
    /// Whether the machine counts the record among those with changes.
    var isBusy = false

    init(_ key: RecordKey) { self.key = key }

    /// A copy, to be changed in the other's place.
    init(copying other: SyncRecord) {
        key = other.key
        base = other.base
        mark = other.mark
        isDoubtful = other.isDoubtful
        movedTo = other.movedTo
        isBusy = other.isBusy
        for change in other.changes { changes.append(SyncChange(copying: change)) }
    }

    var isEmpty: Bool { base == nil && changes.isEmpty && movedTo.isEmpty }

    /// The position of the first change that the server has not accepted.
    var front: Int? {
        for position in changes.indices where changes[position].state != .accepted {
            return position
        }
        return nil
    }

    /// The position of a change among the changes.
    func position(of change: SyncChange) -> Int {
        var position = 0
        while changes[position] !== change { position += 1 }
        return position
    }

    /// The position of the change with an identity; `nil` if there is none.
    @inline(never)
    func position(of id: ChangeID) -> Int? {
        for position in changes.indices where changes[position].id == id { return position }
        return nil
    }

    /// Whether the server has given no identifier yet.
    var isTemporary: Bool {
        guard let front else { return false }
        return changes[front].intent == .create
    }

    var hasAccepted: Bool {
        for change in changes where change.state == .accepted { return true }
        return false
    }

    /// The version that a person sees who sees the record as it is now. An accepted change that was
    /// made on a row that the device does not have, hides what that row brought.
    var seenVersion: UInt64 {
        var version = base?.version ?? 0
        for change in changes where change.state == .accepted && change.madeOn <= version {
            version = max(version, change.version)
        }
        return version
    }

    /// The fields as they are shown: the row with the changes over it; `nil` if there is no record.
    ///
    /// - Complexity: O(fields of the row and of the changes).
    public var fields: [Field]? {
        var fields: [Field]?
        if let base, base.deletion == nil { fields = base.fields }
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

    /// The state of the record's changes.
    public var word: RecordWord {
        var word = RecordWord.confirmed
        for change in changes { word = max(word, change.word) }
        return word
    }

    /// The record as it is shown; `nil` if there is none.
    var shown: ShownRecord? {
        guard let fields else { return nil }
        return ShownRecord(key: key, fields: fields, word: word)
    }

    /// Whether a row is newer than the row that is held.
    func isNews(_ row: Row) -> Bool {
        guard let base else { return true }
        return row.version > base.version
    }

    /// Takes a newer row, and drops the changes that it echoes.
    func adopt(_ row: Row) {
        base = row
        isDoubtful = false
        dropEchoed()
    }

    /// Drops the accepted changes whose echo has arrived, and a tombstone that nothing needs.
    func dropEchoed() {
        guard let base else { return }
        if !changes.isEmpty { dropAccepted(through: base.version) }
        if changes.isEmpty, base.deletion != nil { self.base = nil }
    }

    /// Drops the accepted changes up to a version, and perhaps one more.
    @inline(never)
    func dropAccepted(through version: UInt64, and other: SyncChange? = nil) {
        var kept: [SyncChange] = []
        for change in changes where change !== other {
            if change.state != .accepted || change.version > version { kept.append(change) }
        }
        changes = kept
    }

    /// Drops a change.
    func drop(_ change: SyncChange) { dropAccepted(through: 0, and: change) }

    /// Lets the changes behind a position have seen no later version than another change.
    func lower(behind position: Int, to version: UInt64) {
        for later in position + 1..<changes.count {
            changes[later].madeOn = min(changes[later].madeOn, version)
        }
    }

    /// Removes a change that is not the server's and never will be.
    ///
    /// A change that brought the record back after a deletion that is removed changes what the person
    /// wrote since, and nothing else: the record was never gone.
    func remove(at position: Int) {
        let removed = changes[position]
        drop(removed)
        guard removed.intent == .delete, position < changes.count else { return }
        let change = changes[position]
        guard change.intent == .put, change.before.isEmpty else { return }
        change.intent = .update
        change.before = removed.before
        change.madeOn = min(change.madeOn, removed.madeOn)
        var written: [Field] = []
        for field in change.fields where !removed.before.has(field) { written.append(field) }
        change.fields = written
        for field in removed.before where written[field.name] == nil {
            guard retarget(behind: position, field.name, from: change.id, to: field.stamp) else {
                continue
            }
            lower(behind: position, to: removed.madeOn)
        }
        if written.isEmpty { drop(change) }
    }

    /// Lets the changes behind an edited one have seen the fields that it writes now and did not write
    /// before.
    func follow(_ position: Int, since old: [Field]) {
        let change = changes[position]
        for field in change.fields where old[field.name] == nil {
            let below = change.before[field.name]?.stamp.id
            for place in position + 1..<changes.count {
                let later = changes[place]
                guard later.before[field.name]?.stamp.id == below else { break }
                later.before.write(field.stamped(change.stamp))
            }
        }
    }

    /// Lets the changes behind a position take what they saw of one change for something else.
    ///
    /// - Parameters:
    ///   - seen: The stamp to have been seen in place of that change's; `nil` for no field.
    ///   - version: The version with that stamp. Changes that were made on an earlier one saw no field.
    @discardableResult
    func retarget(
        behind position: Int,
        _ name: [UInt8],
        from id: ChangeID,
        to seen: Stamp?,
        of version: UInt64 = 0
    ) -> Bool {
        var isFound = false
        for place in position + 1..<changes.count {
            let later = changes[place]
            var before: [Field] = []
            for field in later.before {
                guard field.stamp.id == id, areEqual(field.name, name) else {
                    before.append(field)
                    continue
                }
                isFound = true
                if let seen, later.madeOn >= version { before.append(field.stamped(seen)) }
            }
            later.before = before
        }
        return isFound
    }
}

extension SyncChange {
    /// The least word that the change lets its record have.
    var word: RecordWord {
        switch state {
        case .queued: .pending
        case .sending: .sending
        case .unknown, .asking: .unknown
        case .refused: .refused
        case .accepted: .confirmed
        }
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
public final class ShownRecord: Entity, Hashable, Sendable {
    /// The name of the record.
    public let key: RecordKey
    /// The fields in the order of their names.
    public let fields: [Field]
    /// The state of the record's changes.
    public let word: RecordWord

    public typealias RawID = RecordKey

    public static func spread(_ rawID: RecordKey) -> UInt { rawID.spread }

    init(key: RecordKey, fields: [Field], word: RecordWord) {
        self.key = key
        self.fields = fields
        self.word = word
    }

    /// The name of the record.
    public var id: EntityID<ShownRecord> { EntityID(key) }

    /// The names and values, for example to restore the record after its deletion.
    public var values: [Field] { fields.values }

    @inline(never)
    public static func == (left: ShownRecord, right: ShownRecord) -> Bool {
        left.word == right.word && left.key == right.key && left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(fields)
        hasher.combine(word)
    }
}

/// A refused change, kept until a person chooses.
public final class SyncEntry: Sendable {
    /// The record.
    public let key: RecordKey
    /// The change, with the person's values.
    public let change: SyncChange
    /// The reason.
    public let reason: RefusalReason
    /// The server's row, as far as it answered one; else the row that the device holds.
    public let server: Row?

    init(key: RecordKey, change: SyncChange, reason: RefusalReason, server: Row?) {
        self.key = key
        self.change = change
        self.reason = reason
        self.server = server
    }
}
