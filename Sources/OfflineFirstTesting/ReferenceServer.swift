package import OutboxCore
package import SyncCore

/// The rows and the answers of a server that keeps its duties to a device, as plain as can be: inside
/// ``MemorySyncServer``, and the oracle of the worlds in `Tests/Support/SyncWorlds`.
///
/// It keeps every row that ever was, so that a checker can compare the rows of a device with it.
package struct ReferenceServer: Hashable, Sendable {
    /// The server's knowledge of one node.
    struct Ledger: Hashable, Sendable {
        /// The greatest number that the node has called settled.
        var floor: UInt64 = 0
        /// The answers to changes that are not settled, by number.
        var heard: [UInt64: Heard] = [:]
        /// The latest time that was given to a change that is settled.
        var floorTime = WallTime.distantPast
    }

    struct Heard: Hashable, Sendable {
        var attempt: UInt32
        var digest: UInt64
        var answer: PushAnswer
        var stamp: Stamp
    }

    /// A change that was applied.
    package struct Applied: Hashable, Sendable {
        /// The request.
        package let request: PushRequest
        /// The row before; `nil` if there was none.
        package let before: Row?
        /// The row after.
        package let after: Row
    }

    /// A decision on a push that does not follow from the rows. It is kept as any answer is.
    package enum Verdict: Hashable, Sendable {
        /// The row is said to be another one than the change was made on, which is not true.
        case conflict
        /// The change is refused if it was made on the present row.
        case refused(RefusalReason)
    }

    /// The wall clock.
    package var now: WallTime
    /// How many rows a page has.
    package var pageSize = 3
    /// The rows and tombstones.
    package private(set) var rows: [RecordKey: Row] = [:]
    /// All rows that ever were, in the order of their versions.
    package private(set) var history: [Row] = []
    /// The version behind which tombstones are gone.
    package private(set) var purgedThrough: UInt64 = 0
    private(set) var ledgers: [NodeID: Ledger] = [:]
    private var lastVersion: UInt64 = 0
    private var lastID: UInt64 = 0
    /// A value that the server refuses while it is told to.
    package var forbidden: [UInt8]? = [0xFF]
    /// The faults that are made on purpose.
    package var bug: PlantedBug?

    /// An empty server.
    package init(now: WallTime) { self.now = now }

    /// The rows that exist.
    package var live: [RecordKey: Row] { rows.filter { $0.value.deletion == nil } }

    // MARK: Pull

    /// Answers a pull. A cursor is the version of the last row, and the version behind which tombstones
    /// were gone when the pull from the beginning began.
    package func pull(_ request: PullRequest) -> PullAnswer {
        var from: UInt64 = 0
        var began = purgedThrough
        if let cursor = request.cursor {
            from = cursor.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            began = cursor.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
            if from < purgedThrough, began < purgedThrough { return .cursorForgotten }
        }
        let behind = rows.values.filter { $0.version > from }.sorted { $0.version < $1.version }
        let page = Array(behind.prefix(pageSize))
        let hasMore = behind.count > page.count
        let last = hasMore ? page.last?.version ?? from : lastVersion
        let cursor = [last, began].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        }
        return .page(page, cursor: cursor, hasMore: hasMore)
    }

    /// Drops all tombstones, so that older cursors are forgotten.
    package mutating func purge() {
        purgedThrough = lastVersion
        rows = live
    }

    /// Takes the rows and the answers of an older backup of itself. Versions go on from the last one that
    /// was ever given, and all cursors until now are forgotten.
    package mutating func restore(_ backup: ReferenceServer) {
        ledgers = backup.ledgers
        rows = [:]
        for row in backup.rows.values.sorted(by: { $0.version < $1.version }) {
            lastVersion += 1
            rows[row.key] = Row(
                key: row.key,
                version: lastVersion,
                fields: row.fields,
                deletion: row.deletion,
                createdAs: row.createdAs
            )
        }
        purgedThrough = lastVersion
    }

    // MARK: Push

    /// Answers a push.
    package mutating func push(
        _ request: PushRequest,
        verdict: Verdict? = nil
    ) -> (PushAnswer, Applied?) {
        let id = request.stamp.id
        var ledger = ledgers[id.node] ?? Ledger()
        if id.number <= ledger.floor { return (.newNode, nil) }
        if let heard = ledger.heard[id.number] {
            if heard.attempt == request.attempt {
                return (heard.digest == request.digest ? heard.answer : .newNode, nil)
            }
            // An older attempt came late, and its device does not listen; or a clone is behind.
            if heard.attempt > request.attempt { return (.newNode, nil) }
            if case .accepted = heard.answer { return (.newNode, nil) }
        }
        if bug != .serverForgetsAnswers { settle(&ledger, through: request.settledThrough) }
        let stamp = ledger.heard[id.number]?.stamp ?? clamped(request.stamp, ledger)
        let (answer, applied) = apply(request, stamp, verdict)
        ledger.heard[id.number] = Heard(
            attempt: request.attempt,
            digest: request.digest,
            answer: answer,
            stamp: stamp
        )
        if bug == .serverForgetsAnswers { ledger.heard[id.number] = nil }
        ledgers[id.node] = ledger
        return (answer, applied)
    }

    /// Answers a question.
    package func answer(_ question: AskRequest) -> PushAnswer? {
        guard let ledger = ledgers[question.id.node] else { return nil }
        if question.id.number <= ledger.floor { return .newNode }
        guard let heard = ledger.heard[question.id.number], heard.attempt >= question.attempt else {
            return nil
        }
        if heard.attempt > question.attempt { return .newNode }
        return heard.digest == question.digest ? heard.answer : .newNode
    }

    /// Whether a request, if it comes again, is answered and does nothing.
    package func hasHeard(_ request: PushRequest) -> Bool {
        guard let ledger = ledgers[request.stamp.id.node] else { return false }
        if request.stamp.id.number <= ledger.floor { return true }
        guard let heard = ledger.heard[request.stamp.id.number] else { return false }
        return heard.attempt >= request.attempt
    }

    private func settle(_ ledger: inout Ledger, through floor: UInt64) {
        guard floor > ledger.floor else { return }
        ledger.floor = floor
        for (number, heard) in ledger.heard where number <= floor {
            ledger.floorTime = max(ledger.floorTime, heard.stamp.time)
            ledger.heard[number] = nil
        }
    }

    private func clamped(_ stamp: Stamp, _ ledger: Ledger) -> Stamp {
        var time = stamp.time
        if bug != .serverClampsNothing {
            time = min(time, now.advanced(by: SyncClock.tolerance))
        }
        if bug == .serverClampsOld {
            time = max(time, now.advanced(by: Milliseconds(-SyncClock.tolerance.count)))
        }
        for (number, heard) in ledger.heard where number > stamp.id.number {
            time = min(time, heard.stamp.time)
        }
        if bug != .serverReordersClamped {
            time = max(time, ledger.floorTime)
            for (number, heard) in ledger.heard where number < stamp.id.number {
                time = max(time, heard.stamp.time)
            }
        }
        return Stamp(time: time, id: stamp.id)
    }

    /// A number as bytes, the highest first, without zeros before it.
    private static func identifier(_ number: UInt64) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return Array(bytes.drop { $0 == 0 })
    }

    private mutating func apply(
        _ request: PushRequest,
        _ stamp: Stamp,
        _ verdict: Verdict?
    ) -> (PushAnswer, Applied?) {
        let values: [Field]
        var key = request.key
        var row = rows[key]
        if verdict == .conflict { return (.conflict(row, stamp: stamp), nil) }
        var createdAs = row?.createdAs ?? []
        switch request.write {
        case .create(let fields):
            values = fields
            let known = rows.values.first {
                $0.createdAs == request.key.id && $0.key.kind == request.key.kind
            }
            if let known { return (.conflict(known, stamp: stamp), nil) }
            createdAs = key.id
            row = nil
        case .update(let fields):
            values = fields
            guard let row, row.deletion == nil else { return (.conflict(row, stamp: stamp), nil) }
        case .put(let fields): values = fields
        case .delete:
            values = []
            guard let row, row.deletion == nil else { return (.conflict(row, stamp: stamp), nil) }
        }
        if bug != .serverChecksNoVersion, (row?.version ?? 0) != request.madeOn {
            return (.conflict(row, stamp: stamp), nil)
        }
        if let forbidden, values.contains(where: { $0.value == forbidden }) {
            return (.refused("forbidden", row), nil)
        }
        if case .refused(let reason) = verdict { return (.refused(reason, row), nil) }
        if case .create = request.write {
            lastID += 1
            key = RecordKey(kind: key.kind, id: Self.identifier(lastID))
        }
        lastVersion += 1
        var fields: [[UInt8]: Field] = [:]
        if let row, row.deletion == nil {
            for field in row.fields { fields[field.name] = field }
        }
        for value in values {
            fields[value.name] = Field(name: value.name, value: value.value, stamp: stamp)
        }
        let isDeletion = request.write == .delete
        let after = Row(
            key: key,
            version: lastVersion,
            fields: isDeletion ? [] : Array(fields.values),
            deletion: isDeletion ? stamp : nil,
            createdAs: createdAs
        )
        rows[key] = after
        history.append(after)
        return (
            .accepted(id: key.id, version: lastVersion, stamp: stamp),
            Applied(request: request, before: row, after: after)
        )
    }
}

/// A deliberate fault. The tests of a checker plant one, and see that the checker finds it.
package enum PlantedBug: String, CaseIterable, Hashable, Sendable {
    /// A repeated push is a new push.
    case serverForgetsAnswers
    /// A push is applied on any version.
    case serverChecksNoVersion
    /// A stamp of the far future stays.
    case serverClampsNothing
    /// A stamp of the past is moved to the present.
    case serverClampsOld
    /// Two clamped stamps of one node may change places.
    case serverReordersClamped
}
