package import OutboxCore
package import SyncCore

/// The checkers: they hear what persons do, what the server applies and what devices hold and show,
/// and look for promises that are broken. They know nothing of how a device works.
package struct Book: Hashable, Sendable {
    struct Edit: Hashable, Sendable {
        let device: Int
        var key: RecordKey
        /// All identities that the change has had.
        var ids: [ChangeID]
        let intent: SyncChange.Intent
        var fields: [Field]
        /// The writers of the fields that the person saw.
        let seen: [[UInt8]: ChangeID]
        let seenVersion: UInt64
        var seenValues: [[UInt8]: [UInt8]]
        /// Whether the change is still among the device's changes.
        var isOpen = true
        var appliedAs: UInt64?
        /// The fields that the server applied of it.
        var appliedFields: [Field] = []
        /// The values whose loss was told.
        var lost: [Field] = []
        var isOverruled = false
        /// The writers of equal values, where these made a part of the change needless.
        var equal: [[UInt8]: ChangeID] = [:]
        /// Whether a person, or the app's merge, has decided on a conflict.
        var isForced = false
        var isRefused = false
        var isRefusalTold = false
        var isGivenUp = false
        /// The change as it was last held.
        var lastIntent: SyncChange.Intent
        var lastNames: [[UInt8]]

        /// Whether a change may be this one under another number.
        func isLike(_ change: SyncChange) -> Bool {
            change.intent == lastIntent && change.fields.map(\.name) == lastNames
        }
    }

    private struct Holder: Hashable, Sendable {
        let device: Int
        let key: RecordKey
    }

    /// The broken promises.
    package private(set) var violations: [Violation] = []
    private(set) var edits: [Edit] = []
    private var policies: [[UInt8]: ConflictPolicy]
    private let groups: @Sendable ([UInt8]) -> Int?
    /// The greatest version that a device has held of a record.
    private var held: [Holder: UInt64] = [:]
    /// The greatest version that a device's own change got.
    private var own: [Holder: UInt64] = [:]
    private var history: [RecordKey: [Row]] = [:]
    private var creations: [[UInt8]: RecordKey] = [:]
    /// For each node the numbers and stamps that the server has given.
    private var stamps: [NodeID: [Stamp]] = [:]
    /// For each node the numbers that the server has heard of, whatever it answered.
    private var heard: [NodeID: Set<UInt64>] = [:]
    /// The refusals that were told since the last look of changes that no look has shown.
    private var unknownRefusals: Set<ChangeID> = []

    /// A book without an entry.
    ///
    /// - Parameters:
    ///   - policies: The policy of each kind.
    ///   - groups: The group of a field.
    package init(
        policies: [[UInt8]: ConflictPolicy],
        groups: @escaping @Sendable ([UInt8]) -> Int? = { _ in nil }
    ) {
        self.policies = policies
        self.groups = groups
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.edits == right.edits && left.held == right.held && left.own == right.own
            && left.history == right.history && left.stamps == right.stamps
            && left.heard == right.heard && left.violations == right.violations
    }

    package func hash(into hasher: inout Hasher) {
        // No checker looks at the order of the edits of different devices, and the rows are the server's.
        for device in Set(edits.map(\.device)).sorted() {
            hasher.combine(edits.filter { $0.device == device })
        }
        hasher.combine(held)
        hasher.combine(own)
        hasher.combine(stamps)
        hasher.combine(heard)
    }

    /// Whether each change is its person's own. Clones and restored backups make two changes of one
    /// identity: then only those promises are looked at that do not ask who did what.
    package var isStrict = true

    private static let alwaysKept: Set<Promise> = [
        .overlayHonest, .storedWhole, .laneFenced, .nothingWedged, .atomicVisibility, .converges,
        .quietPull,
    ]

    /// Notes a broken promise.
    package mutating func broken(_ promise: Promise, _ text: @autoclosure () -> String) {
        guard isStrict || Self.alwaysKept.contains(promise) else { return }
        if violations.count < 8 { violations.append(Violation(promise: promise, text: text())) }
    }

    // MARK: Persons

    /// A person has changed a record.
    package mutating func wrote(
        _ device: Int,
        _ id: ChangeID,
        _ key: RecordKey,
        _ intent: SyncChange.Intent,
        _ fields: [Field],
        seen: [Field],
        version: UInt64
    ) {
        edits.append(
            Edit(
                device: device,
                key: key,
                ids: [id],
                intent: intent,
                fields: fields,
                seen: Dictionary(uniqueKeysWithValues: seen.map { ($0.name, $0.stamp.id) }),
                seenVersion: version,
                seenValues: Dictionary(uniqueKeysWithValues: seen.map { ($0.name, $0.value) }),
                lastIntent: intent,
                lastNames: fields.map(\.name)
            )
        )
    }

    /// A person has given a refused change up. Those behind a creation go with it.
    package mutating func gaveUp(_ id: ChangeID) {
        guard let index = index(of: id) else { return }
        edits[index].isGivenUp = true
        guard edits[index].intent == .create else { return }
        for other in edits.indices
        where other > index && edits[other].key == edits[index].key
            && edits[other].device == edits[index].device
        {
            edits[other].isGivenUp = true
        }
    }

    /// A person wants a refused change to be tried again, perhaps with other values.
    package mutating func insisted(_ id: ChangeID, _ fields: [Field]?) {
        guard let index = index(of: id) else { return }
        edits[index].isForced = true
        edits[index].isRefused = false
        if let fields { edits[index].fields = fields }
    }

    // MARK: Tellings

    /// A device has told that values gave way.
    package mutating func overruled(_ id: ChangeID, _ values: [Field]) {
        guard let index = index(of: id) else {
            return broken(.policyKept, "a loss of an unknown change is told")
        }
        edits[index].lost += values
        edits[index].isOverruled = true
        let edit = edits[index]
        let rows = history[edit.key] ?? []
        // A row that the person had not seen must have caused it, or a deletion: a device shows an
        // edited record beyond that.
        let hidden = hidden(index)
        let unseen = rows.filter {
            $0.version > hidden || $0.deletion != nil && $0.version == hidden
        }
        switch policies[edit.key.kind] ?? .serverWins {
        case .serverWins:
            if unseen.isEmpty, !rows.isEmpty {
                broken(.policyKept, "serverWins lost an edit to nothing")
            }
        case .newerWins:
            let stamp = stamps[id.node]?.first { $0.id.number == id.number }
            let isLater = unseen.contains { row in
                guard let stamp else { return true }
                if let deletion = row.deletion { return stamp < deletion }
                return row.fields.contains { stamp < $0.stamp && $0.stamp.id != id }
            }
            if !isLater { broken(.policyKept, "newerWins lost an edit to an older one") }
        case .clientWins: broken(.policyKept, "clientWins lost an edit")
        case .manual: broken(.policyKept, "manual lost an edit without a choice")
        case .merge: break
        }
    }

    /// A device has told that a change was refused. The change may have got its number in the same
    /// transaction, which the next look at the device shows.
    package mutating func refusalTold(_ id: ChangeID) {
        guard let index = index(of: id) else {
            unknownRefusals.insert(id)
            return
        }
        edits[index].isRefusalTold = true
    }

    /// A device was looked at: each refusal that it told is of a change that it had.
    mutating func looked() {
        if !unknownRefusals.isEmpty {
            broken(.refusalTold, "a refusal of an unknown change is told")
        }
        unknownRefusals = []
    }

    // MARK: The server

    /// The server has applied a change.
    package mutating func applied(
        _ id: ChangeID,
        stamp: Stamp,
        now: WallTime,
        fields: [Field],
        intent: SyncChange.Intent,
        createdAs: [UInt8],
        before: Row?,
        after: Row
    ) {
        check(stamp, now)
        history[after.key, default: []].append(after)
        guard let index = index(of: id) else {
            return broken(.nothingDoubled, "a change is applied that nobody has made")
        }
        if edits[index].appliedAs != nil {
            broken(.nothingDoubled, "change \(id.number) is applied twice")
        }
        if intent == .create {
            if creations[createdAs] != nil {
                broken(.nothingDoubled, "change \(id.number) makes a second record")
            }
            creations[createdAs] = after.key
        }
        edits[index].appliedAs = after.version
        edits[index].appliedFields = fields
        let edit = edits[index]
        if after.version <= edit.seenVersion
            || (before.map { $0.version >= after.version } ?? false)
        {
            broken(.writesFollowReads, "change \(id.number) is applied below what its person saw")
        }
        if let before, before.version < edit.seenVersion {
            broken(.writesFollowReads, "change \(id.number) is applied on a row older than seen")
        }
        for other in edits.indices
        where other < index && edits[other].device == edit.device && edits[other].key == edit.key
            && edits[other].isOpen && edits[other].appliedAs == nil
        {
            broken(.monotonicWrites, "change \(id.number) is applied before an earlier one")
        }
        for other in edits.indices
        where other > index && edits[other].device == edit.device && edits[other].key == edit.key
            && edits[other].appliedAs != nil
        {
            broken(.monotonicWrites, "change \(id.number) is applied after a later one")
        }
        checkOverwriting(index, id, stamp, fields, intent, before)
    }

    private mutating func check(_ stamp: Stamp, _ now: WallTime) {
        if stamp.time > now.advanced(by: SyncClock.tolerance) {
            broken(.stampsOrdered, "a stamp is far in the future")
        }
        for other in stamps[stamp.id.node] ?? [] {
            if other.id.number < stamp.id.number, stamp < other {
                broken(.stampsOrdered, "a later change has an earlier stamp")
            }
            if other.id.number > stamp.id.number, other < stamp {
                broken(.stampsOrdered, "an earlier change has a later stamp")
            }
            if other.id == stamp.id, other != stamp {
                broken(.stampsOrdered, "a change has two stamps")
            }
        }
        if !(stamps[stamp.id.node]?.contains(stamp) ?? false) {
            stamps[stamp.id.node, default: []].append(stamp)
        }
    }

    /// The server has heard of a change.
    package mutating func heard(_ id: ChangeID) { heard[id.node, default: []].insert(id.number) }

    /// The server has given a stamp, whatever became of the change.
    package mutating func stamped(_ stamp: Stamp, now: WallTime, original: Stamp) {
        check(stamp, now)
        let latest = now.advanced(by: SyncClock.tolerance)
        let mayMove = heard[stamp.id.node]?.contains { $0 != stamp.id.number } ?? false
        if original.time <= latest, !mayMove, stamp.time != original.time {
            broken(.stampsOrdered, "a stamp that is not ahead was moved")
        }
    }

    /// A change may write over another only if its person saw it, or the policy says so.
    private mutating func checkOverwriting(
        _ index: Int,
        _ id: ChangeID,
        _ stamp: Stamp,
        _ fields: [Field],
        _ intent: SyncChange.Intent,
        _ before: Row?
    ) {
        let edit = edits[index]
        guard let before, before.deletion == nil, intent == .update || intent == .delete,
            !edit.isForced
        else { return }
        let names = intent == .delete ? before.fields.map(\.name) : fields.map(\.name)
        for name in names {
            guard let field = before.fields[name] else { continue }
            let writer = field.stamp.id
            if edit.ids.contains(writer) || seen(index, name) == writer { continue }
            // The device of this change made that one before.
            let isOwn = edits.prefix(index).contains {
                $0.device == edit.device && $0.ids.contains(writer)
            }
            if isOwn { continue }
            switch policies[edit.key.kind] ?? .serverWins {
            case .clientWins, .merge: break
            case .newerWins:
                let isUnit = groups(name) != nil || intent == .delete
                let others = before.fields.filter {
                    intent == .delete || $0.name == name
                        || (groups(name) != nil && groups(name) == groups($0.name))
                }
                let newest = others.map(\.stamp).max() ?? field.stamp
                if stamp < (isUnit ? newest : field.stamp) {
                    broken(.policyKept, "newerWins wrote over a newer value")
                }
            case .serverWins, .manual:
                broken(.policyKept, "change \(id.number) wrote over a value that nobody saw")
            }
        }
    }

    /// The version of the row that the person of a change saw: earlier changes of the same device that
    /// came to nothing hid what came since they were made.
    private func hidden(_ index: Int) -> UInt64 {
        var version = edits[index].seenVersion
        for other in edits[..<index]
        where other.device == edits[index].device && other.key == edits[index].key
            && other.appliedAs == nil
        {
            version = min(version, other.seenVersion)
        }
        return version
    }

    /// The writer of the value below a change, as its person saw it: own changes that came to nothing
    /// hide those below them.
    private func seen(_ index: Int, _ name: [UInt8]) -> ChangeID? {
        var writer = edits[index].seen[name]
        if edits[index].intent == .put, writer == nil {
            // The person saw the record before deleting it, and the deletion came to nothing.
            let deletion = edits[..<index].last {
                $0.device == edits[index].device && $0.key == edits[index].key
                    && $0.intent == .delete && $0.appliedAs == nil
            }
            writer = deletion?.seen[name]
        }
        for _ in edits.indices {
            guard let id = writer, let below = self.index(of: id),
                edits[below].device == edits[index].device,
                edits[below].appliedAs == nil
                    || !edits[below].appliedFields.contains(where: { $0.name == name })
            else { break }
            writer = edits[below].equal[name] ?? edits[below].seen[name]
        }
        guard let id = writer, let below = self.index(of: id) else { return writer }
        return edits[below].ids.last
    }

    // MARK: Devices

    /// A temporary identifier was replaced on a device.
    package mutating func renamed(_ device: Int, from old: RecordKey, to new: RecordKey) {
        for index in edits.indices where edits[index].device == device {
            if edits[index].key == old { edits[index].key = new }
            edits[index].seenValues = edits[index].seenValues.mapValues {
                $0 == old.id ? new.id : $0
            }
            edits[index].fields = edits[index].fields.map {
                $0.value == old.id ? Field(name: $0.name, value: new.id) : $0
            }
        }
    }

    /// The device holds these changes of a record, in order.
    package mutating func holds(_ device: Int, _ key: RecordKey, changes: [SyncChange]) {
        let open = edits.indices.filter {
            edits[$0].isOpen && edits[$0].device == device && edits[$0].key == key
        }
        var unknown = changes.filter { change in
            !open.contains { edits[$0].ids.contains(change.id) }
        }
        for index in open {
            if let change = changes.first(where: { edits[index].ids.contains($0.id) }) {
                note(change, index)
            } else if let next = unknown.first, edits[index].appliedAs == nil,
                !edits[index].isGivenUp, edits[index].isForced || edits[index].isLike(next)
            {
                // The same change under a new number.
                edits[index].ids.append(next.id)
                if unknownRefusals.remove(next.id) != nil { edits[index].isRefusalTold = true }
                unknown.removeFirst()
                note(next, index)
            } else {
                edits[index].isOpen = false
                end(index)
            }
        }
        if !unknown.isEmpty { broken(.nothingDoubled, "a device holds a change that nobody made") }
    }

    private mutating func note(_ change: SyncChange, _ index: Int) {
        edits[index].isRefused = change.isRefused
        edits[index].lastIntent = change.intent
        edits[index].lastNames = change.fields.map(\.name)
        if change.isRefused, !edits[index].isRefusalTold {
            broken(.refusalTold, "change \(change.id.number) is refused and nobody is told")
        }
        if change.isAccepted, edits[index].appliedAs == nil {
            broken(.nothingLost, "change \(change.id.number) is accepted and was not")
        }
        noteEqual(index)
        if !isWhole(index, pushed: change.isAccepted ? edits[index].appliedFields : change.fields) {
            broken(.nothingLost, "a part of change \(change.id.number) is lost, untold")
        }
    }

    /// Whether each value of an edit is still in the change, or was told to be lost, or was needless.
    private func isWhole(_ index: Int, pushed: [Field]) -> Bool {
        let edit = edits[index]
        if edit.isForced || policies[edit.key.kind] == .merge { return true }
        return edit.fields.allSatisfy { field in
            pushed.contains(field) || edit.lost.contains(field) || edit.equal[field.name] != nil
                || isRestored(index, field)
        }
    }

    /// Whether a change only brings back a value that was there before a deletion of the same person,
    /// which came to nothing.
    private func isRestored(_ index: Int, _ field: Field) -> Bool {
        guard edits[index].intent == .put else { return false }
        let deletion = edits[..<index].last {
            $0.device == edits[index].device && $0.key == edits[index].key && $0.intent == .delete
        }
        guard let deletion, deletion.appliedAs == nil else { return false }
        return deletion.seenValues[field.name] == field.value
    }

    private mutating func noteEqual(_ index: Int) {
        let hidden = hidden(index)
        for field in edits[index].fields {
            let rows = history[edits[index].key] ?? []
            let equal = rows.last { row in
                row.version > hidden
                    && row.fields[field.name]?.value == field.value
                    && !edits[index].ids.contains(row.fields[field.name]!.stamp.id)
            }
            if let equal { edits[index].equal[field.name] = equal.fields[field.name]?.stamp.id }
        }
    }

    private func isSettled(_ index: Int) -> Bool {
        let edit = edits[index]
        if edit.isOverruled, edit.intent == .delete { return true }
        if edit.intent == .delete {
            let rows = history[edit.key] ?? []
            let hidden = hidden(index)
            return rows.isEmpty
                || rows.contains { $0.deletion != nil && $0.version >= hidden }
        }
        return edit.fields.allSatisfy {
            edit.lost.contains($0) || edit.equal[$0.name] != nil || isRestored(index, $0)
        }
    }

    /// A change is no longer among those of its device: there must be a reason.
    private mutating func end(_ index: Int) {
        noteEqual(index)
        let edit = edits[index]
        if edit.isGivenUp { return }
        if let version = edit.appliedAs {
            let holder = Holder(device: edit.device, key: edit.key)
            own[holder] = max(own[holder] ?? 0, version)
            if !isWhole(index, pushed: edit.appliedFields) {
                broken(.nothingLost, "a part of change \(edit.ids[0].number) is lost untold")
            }
            return
        }
        if edit.isRefused {
            return broken(.refusalTold, "the entry of change \(edit.ids[0].number) is gone")
        }
        if policies[edit.key.kind] == .merge, edit.isOverruled { return }
        if !isSettled(index) {
            broken(.nothingLost, "change \(edit) is gone and nobody is told")
        }
    }

    /// The device holds this row of a record; `nil` if it holds none.
    ///
    /// - Parameter isPurged: Whether the server no longer knows of a deletion of the record.
    package mutating func holds(_ device: Int, _ key: RecordKey, row: Row?) {
        let holder = Holder(device: device, key: key)
        guard let row else { return }
        if let before = held[holder], row.version < before {
            broken(.monotonicReads, "a device held version \(before) and holds \(row.version)")
        }
        held[holder] = max(held[holder] ?? 0, row.version)
        if let version = own[holder], row.version < version {
            broken(.readYourWrites, "a device's change \(version) is gone from its row")
        }
        if !(history[key]?.contains(row) ?? false) {
            broken(.atomicVisibility, "a device holds a row that never was")
        }
    }

    /// The device shows these fields of a record; `nil` if it shows none.
    package mutating func shows(_ device: Int, _ key: RecordKey, _ fields: [Field]?) {
        var expected: [[UInt8]: [UInt8]] = [:]
        var exists: Bool?
        for edit in edits where edit.isOpen && edit.device == device && edit.key == key {
            exists = edit.intent != .delete
            if edit.intent == .delete { expected = [:] }
            for field in edit.fields
            where edit.lastNames.contains(field.name) && policies[key.kind] != .merge {
                expected[field.name] = field.value
            }
        }
        if let exists, exists != (fields != nil) {
            broken(.readYourWrites, "a device does not show its creation, or shows its deletion")
        }
        guard let fields else { return }
        for (name, value) in expected where fields[name]?.value != value {
            broken(
                .readYourWrites,
                "\(device) does not show \(value) in \(name) of \(key.id): \(fields)"
            )
        }
    }

    // MARK: The end

    /// Compares the rows that all devices show in the end with those of the server.
    package mutating func ended(_ shown: [[RecordKey: [Field]]], server: [RecordKey: Row]) {
        let expected = server.mapValues {
            $0.fields.values
        }
        for (device, view) in shown.enumerated() where view != expected {
            broken(
                .converges,
                "device \(device) shows \(view.count) records, others \(expected.count)"
            )
        }
        for edit in edits where edit.isOpen && isStrict {
            broken(.converges, "change \(edit) of device \(edit.device) still waits")
        }
    }

    private func index(of id: ChangeID) -> Int? {
        edits.firstIndex { $0.ids.contains(id) }
    }
}

extension SyncChange {
    var isAccepted: Bool { state == .accepted }
    var isRefused: Bool { state == .refused }
}

extension Book {
    /// The records of which a device has changes that have not ended.
    func openKeys(of device: Int) -> Set<RecordKey> {
        Set(edits.lazy.filter { $0.isOpen && $0.device == device }.map(\.key))
    }
}
