package import OfflineFirstTesting
package import OutboxCore
package import SyncCore

// What a device stores, sends and shows, looked at without knowing how it works.
extension Book {
    /// The overlay of a record once more, in a plain way.
    package mutating func overlays(
        _ base: Row?,
        _ changes: [SyncChange],
        shown: [Field]?,
        as word: RecordWord?
    ) {
        var fields: [[UInt8]: [UInt8]]?
        if let base, base.deletion == nil { fields = Self.plain(base.fields) }
        var expected = RecordWord.confirmed
        for change in changes {
            switch change.intent {
            case .create: fields = [:]
            case .update, .put: fields = fields ?? Self.plain(change.before)
            case .delete: fields = nil
            }
            for value in change.fields { fields?[value.name] = value.value }
            let state: RecordWord =
                switch change.state {
                case .queued: .pending
                case .sending: .sending
                case .unknown, .asking: .unknown
                case .refused: .refused
                case .accepted: .confirmed
                }
            expected = max(expected, state)
        }
        if shown.map(Self.plain) != fields {
            broken(.overlayHonest, "another value is shown than is held")
        }
        if let word, word != expected { broken(.overlayHonest, "a word is not true") }
    }

    private static func plain(_ fields: [Field]) -> [[UInt8]: [UInt8]] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    }

    /// The changes of a record, in order: only the first that is not accepted may be under way.
    ///
    /// - Returns: The changes under way.
    package mutating func lane(_ changes: [SyncChange]) -> Set<ChangeID> {
        var underWay: Set<ChangeID> = []
        var isFirst = true
        for change in changes {
            if change.state == .sending || change.state == .asking {
                if !isFirst { broken(.laneFenced, "a change overtakes another") }
                underWay.insert(change.id)
            }
            if !change.isAccepted { isFirst = false }
        }
        return underWay
    }

    /// A device waits for the answers to these changes, and its shell for those to its requests.
    package mutating func waits(
        for underWay: Set<ChangeID>,
        ofRequests awaited: Set<ChangeID>,
        isPulling: Bool,
        isPullRequested: Bool
    ) {
        if !underWay.isSubset(of: awaited) {
            broken(.nothingWedged, "a change is under way and no answer will come")
        }
        if isPulling, !isPullRequested {
            broken(.nothingWedged, "a pull is under way and no answer will come")
        }
    }

    /// A device has stored these records, and holds those.
    package mutating func stores(
        _ stored: [RecordKey: [UInt8]],
        meta: [UInt8],
        holding held: [RecordKey: [UInt8]],
        heldMeta: [UInt8]
    ) {
        if stored != held {
            broken(.storedWhole, "\(stored.count) of \(held.count) records are stored, or other")
        }
        if meta != heldMeta { broken(.storedWhole, "the cursor or the clock is not stored") }
    }

    /// A device has pulled once more in the end.
    package mutating func pulledAgain(_ device: Int, isMoved: Bool) {
        if isMoved { broken(.quietPull, "a second pull moves device \(device)") }
    }

    // MARK: Whole looks

    /// The server has answered a push.
    package mutating func pushed(
        _ request: PushRequest,
        _ answer: PushAnswer,
        _ applied: ReferenceServer.Applied?,
        now: WallTime
    ) {
        heard(request.stamp.id)
        switch answer {
        case .accepted(_, _, let stamp), .conflict(_, let stamp):
            stamped(stamp, now: now, original: request.stamp)
        case .refused, .newNode: break
        }
        guard let applied, case .accepted(_, _, let stamp) = answer else { return }
        let (intent, fields): (SyncChange.Intent, [Field]) =
            switch request.write {
            case .create(let fields): (.create, fields)
            case .update(let fields): (.update, fields)
            case .put(let fields): (.put, fields)
            case .delete: (.delete, [])
            }
        self.applied(
            request.stamp.id,
            stamp: stamp,
            now: now,
            fields: fields,
            intent: intent,
            createdAs: request.key.id,
            before: applied.before,
            after: applied.after
        )
    }

    /// A device holds these records, and shows those.
    ///
    /// - Returns: The changes under way.
    package mutating func looks(
        _ device: Int,
        _ records: [SyncRecord],
        showing: (RecordKey) -> ShownRecord?
    ) -> Set<ChangeID> {
        var underWay: Set<ChangeID> = []
        for record in records {
            let key = record.key
            holds(device, key, changes: record.changes)
            holds(device, key, row: record.base)
            let shown = showing(key)
            shows(device, key, shown?.fields)
            overlays(record.base, record.changes, shown: shown?.fields, as: shown?.word)
            underWay.formUnion(lane(record.changes))
        }
        let held = Set(records.map(\.key))
        for key in openKeys(of: device) where !held.contains(key) {
            holds(device, key, changes: [])
        }
        looked()
        return underWay
    }
}
