internal import OutboxCore
internal import SyncCore

/// One table that all devices share, without a network: each change is applied and seen at once. The
/// checkers are proved on it, each by a bug that breaks its promise.
package struct BareTable {
    /// A bug of the table.
    package enum Bug: String, CaseIterable, Sendable {
        case showsOldValue, showsOldRow, swapsWrites, appliesBelow, tearsRow, dropsWrite
        case appliesTwice, hidesRefusal, overwritesUnseen, movesStamp, endsDifferent
        case showsWrongWord, showsNothing, overtakes, waitsForNothing, pullsForEver
        case storesHalf, storesNoCursor, movesAgain

        /// The promise that it breaks.
        package var promise: Promise {
            switch self {
            case .showsOldValue: .readYourWrites
            case .showsOldRow: .monotonicReads
            case .swapsWrites: .monotonicWrites
            case .appliesBelow: .writesFollowReads
            case .tearsRow: .atomicVisibility
            case .dropsWrite: .nothingLost
            case .appliesTwice: .nothingDoubled
            case .hidesRefusal: .refusalTold
            case .overwritesUnseen: .policyKept
            case .movesStamp: .stampsOrdered
            case .endsDifferent: .converges
            case .showsWrongWord, .showsNothing: .overlayHonest
            case .overtakes: .laneFenced
            case .waitsForNothing, .pullsForEver: .nothingWedged
            case .storesHalf, .storesNoCursor: .storedWhole
            case .movesAgain: .quietPull
            }
        }
    }

    /// The checkers.
    package private(set) var book = Book(policies: WorldRules.policies)
    private var rows: [RecordKey: Row] = [:]
    private var before: [RecordKey: Row] = [:]
    private var version: UInt64 = 0
    private var numbers: [UInt64] = [0, 0, 0]
    private let now = WallTime(millisecondsSinceEpoch: 1_000_000)
    private let bug: Bug?
    private var random: Dice

    /// Lets three devices write what a seed chooses.
    package init(seed: UInt64, bug: Bug? = nil) {
        self.bug = bug
        random = Dice(state: seed)
        let keys = (UInt8(1)...3).map { RecordKey(kind: [0], id: [$0]) }
        for key in keys { write(0, key, [WorldRules.a, WorldRules.b], .put) }
        for _ in 0..<20 {
            let device = Int(random.below(3))
            let key = keys[Int(random.below(3))]
            if bug == .swapsWrites {
                writeSwapped(device, key)
            } else {
                write(device, key, [WorldRules.a, WorldRules.b], .update)
            }
        }
        var view: [RecordKey: [Field]] = [:]
        for (key, row) in rows {
            view[key] = row.fields.values
        }
        var last = view
        if bug == .endsDifferent { last[keys[0]] = nil }
        book.ended([view, view, last], server: rows)
        for device in 0...2 { book.pulledAgain(device, isMoved: bug == .movesAgain) }
    }

    private mutating func note(
        _ device: Int,
        _ key: RecordKey,
        _ names: [[UInt8]],
        _ intent: SyncChange.Intent
    ) -> SyncChange {
        numbers[device] += 1
        let id = ChangeID(
            number: numbers[device],
            node: NodeID(high: 1, low: UInt64(device))
        )
        let values = names.map {
            Field(name: $0, value: [UInt8(device), UInt8(numbers[device])])
        }
        let seen = bug == .overwritesUnseen ? before[key] : rows[key]
        book.wrote(
            device,
            id,
            key,
            intent,
            values,
            seen: seen?.fields ?? [],
            version: seen?.version ?? 0
        )
        return SyncChange(
            stamp: Stamp(time: now.advanced(by: Milliseconds(Int64(numbers[device]))), id: id),
            madeOn: rows[key]?.version ?? 0,
            intent: intent,
            fields: values,
            before: seen?.fields ?? []
        )
    }

    private mutating func apply(_ change: SyncChange, _ key: RecordKey) {
        let old = rows[key]
        version += 1
        var stamp = change.stamp
        if bug == .movesStamp {
            stamp = Stamp(time: now.advanced(by: .seconds(3600)), id: stamp.id)
        }
        var fields = old?.fields ?? []
        for value in change.fields {
            fields.removeAll { $0.name == value.name }
            fields.append(Field(name: value.name, value: value.value, stamp: stamp))
        }
        let isBelow = bug == .appliesBelow && old != nil
        let after = Row(key: key, version: isBelow ? old!.version : version, fields: fields)
        for _ in 0...(bug == .appliesTwice ? 1 : 0) {
            book.applied(
                change.id,
                stamp: stamp,
                now: now,
                fields: change.fields,
                intent: change.intent,
                createdAs: [],
                before: old,
                after: after
            )
        }
        before[key] = old
        rows[key] = after
    }

    private mutating func look(_ device: Int, _ key: RecordKey) {
        guard let row = rows[key] else { return }
        var held = row
        if bug == .showsOldRow, let old = before[key] {
            book.holds(device, key, row: row)
            held = old
        }
        if bug == .tearsRow, let old = before[key] {
            held = Row(
                key: key,
                version: row.version,
                fields: [row.fields[0]] + old.fields.dropFirst()
            )
        }
        book.holds(device, key, row: held)
        book.shows(device, key, held.fields)
        book.overlays(
            row,
            [],
            shown: bug == .showsNothing ? nil : row.fields,
            as: bug == .showsWrongWord ? .pending : .confirmed
        )
        store(key, held)
    }

    /// A device stores the version of each row that it holds.
    private mutating func store(_ key: RecordKey, _ row: Row) {
        let meta = [UInt8(truncatingIfNeeded: version)]
        book.stores(
            bug == .storesHalf ? [:] : [key: [UInt8(truncatingIfNeeded: row.version)]],
            meta: bug == .storesNoCursor ? [] : meta,
            holding: [key: [UInt8(truncatingIfNeeded: row.version)]],
            heldMeta: meta
        )
    }

    /// A device sends a change, and another one waits behind it.
    private mutating func send(_ change: SyncChange) {
        let behind = SyncChange(
            stamp: Stamp(time: now, id: ChangeID(number: 999, node: change.id.node)),
            madeOn: change.madeOn,
            intent: .update,
            fields: [],
            before: []
        )
        change.state = .sending
        if bug == .overtakes { behind.state = .sending }
        let underWay = book.lane([change, behind])
        book.waits(
            for: underWay,
            ofRequests: bug == .waitsForNothing ? [] : underWay,
            isPulling: true,
            isPullRequested: bug != .pullsForEver
        )
    }

    private mutating func write(
        _ device: Int,
        _ key: RecordKey,
        _ names: [[UInt8]],
        _ intent: SyncChange.Intent
    ) {
        let change = note(device, key, names, intent)
        if bug == .hidesRefusal {
            change.state = .refused
            book.holds(device, key, changes: [change])
            return
        }
        if bug == .showsOldValue {
            book.holds(device, key, changes: [change])
            book.shows(device, key, rows[key]?.fields ?? [])
        }
        send(change)
        if bug != .dropsWrite || intent == .put { apply(change, key) }
        book.holds(device, key, changes: [])
        for other in 0...2 { look(other, key) }
    }

    private mutating func writeSwapped(_ device: Int, _ key: RecordKey) {
        let first = note(device, key, [WorldRules.a], .update)
        let second = note(device, key, [WorldRules.b], .update)
        apply(second, key)
        apply(first, key)
        book.holds(device, key, changes: [])
        look(device, key)
    }
}
