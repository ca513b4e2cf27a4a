import Outbox
import OutboxCore

/// The entries of a folder and their due times: all that is known without reading the files again.
/// Rebuilt from the files whenever a store is opened to be read; never stored.
///
/// About 150 bytes an entry, and 100 more for one in a lane.
struct QueueIndex: Sendable {
    /// The order in which operations become eligible.
    struct Due: Comparable, Sendable {
        let time: WallTime
        let id: OperationID

        static func < (left: Due, right: Due) -> Bool {
            left.time != right.time ? left.time < right.time : left.id < right.id
        }
    }

    private var numbers: [FileName: Int64] = [:]
    private var entries: [Int64: (name: FileName, standing: Standing)] = [:]
    private var numbersByState = [SortedChunks<Int64>](
        repeating: SortedChunks(),
        count: OperationState.allCases.count
    )
    private var lanes: [OrderingKey: LaneIndex] = [:]
    /// Queued operations without a lane, and the queued fronts of lanes.
    private(set) var queue = SortedChunks<Due>()
    /// Operations queued behind others in a lane that have a wait of their own as well.
    private(set) var waitingBehind = SortedChunks<Due>()
    private var lastNumber: Int64 = 0
    /// The unreadable operations whose lanes are not known.
    private var unreadable = SortedChunks<OperationID>()

    var names: some Sequence<FileName> { numbers.keys }

    func count(in state: OperationState) -> Int { numbersByState[Int(state.rawValue)].count }

    func number(of name: FileName) -> Int64? { numbers[name] }

    func name(of number: Int64) -> FileName? { entries[number]?.name }

    func standing(of number: Int64) -> Standing? { entries[number]?.standing }

    func standing(of name: FileName) -> Standing? {
        number(of: name).flatMap { standing(of: $0) }
    }

    /// The entries that count as quarantined although their files do not say so.
    var held: [FileName] {
        numbers(in: .quarantined, after: nil).compactMap { number in
            standing(of: number)?.heldFor == nil ? nil : name(of: number)
        }
    }

    /// Entry numbers in `state`, ascending, from the one after `last` on.
    func numbers(in state: OperationState, after last: Int64?) -> some Sequence<Int64> {
        numbersByState[Int(state.rawValue)].values(after: last)
    }

    /// The earliest moment after `moment` at which an operation is due.
    func nextDue(after moment: WallTime) -> WallTime? {
        let bound = Due(time: moment, id: OperationID(high: .max, low: .max))
        return queue.values(after: bound).first { _ in true }?.time
    }

    /// The due times of operations that have to wait until after `moment`, the farthest first.
    func waits(beyond moment: WallTime) -> [Due] {
        let (fronts, others) = (queue.descending, waitingBehind.descending)
        return (fronts.prefix { $0.time > moment } + others.prefix { $0.time > moment })
            .sorted { $0 > $1 }
    }

    /// The count of numbers left free for an unreadable entry, and for operations that were
    /// inserted behind it by processes that could read it.
    private static let room: UInt64 = 1 << 20

    /// A number behind all operations of a lane, also behind unreadable ones that may be in it.
    ///
    /// The number of an unreadable operation may leave room for others that its process could not
    /// read. So while any is unreadable, the number is at least the first bits of `id`, which begin
    /// with the moment at which `id` was made, and greater than the first bits of all unreadable
    /// identifiers: behind all earlier numbers of this kind. The order is lost only when a clock was
    /// set back and the last operation before that is gone while a later one cannot be read.
    func nextNumber(in lane: OrderingKey, for id: OperationID) -> UInt64 {
        let next = lanes[lane]?.nextNumber ?? 1
        guard let last = unreadable.last else { return next }
        let count = UInt64(unreadable.count)
        let (number, isBeyondAll) = next.addingReportingOverflow(count * Self.room)
        // Those that were inserted behind the last one under an earlier clock count as well.
        let (behind, isBehindAll) = last.high.addingReportingOverflow(count)
        return isBeyondAll || isBehindAll ? .max : max(number, behind, id.high)
    }

    /// Adds an entry, or changes its standing.
    mutating func set(_ name: FileName, _ standing: Standing) {
        let number: Int64
        if let known = numbers[name], let old = entries[known]?.standing {
            if old == standing { return }
            number = known
            unlist(known, name, old)
        } else {
            lastNumber += 1
            number = lastNumber
            numbers[name] = number
        }
        entries[number] = (name, standing)
        list(number, name, standing)
    }

    mutating func remove(_ name: FileName) {
        guard let number = numbers[name], let entry = entries[number] else { return }
        unlist(number, name, entry.standing)
        numbers[name] = nil
        entries[number] = nil
    }

    /// Whether a queued operation waits for `cause`.
    func hasWaits(for cause: WaitCause) -> Bool {
        entries.values.contains { $0.standing.state == .queued && $0.standing.waitCause == cause }
    }

    /// Makes operations eligible that wait under an epoch that is over.
    ///
    /// - Complexity: O(entries).
    mutating func apply(_ epochs: WaitEpochs) {
        for (name, standing) in entries.values {
            let applied = standing.applying(epochs)
            if applied != standing { set(name, applied) }
        }
    }

    private mutating func list(_ number: Int64, _ name: FileName, _ standing: Standing) {
        numbersByState[Int(standing.state.rawValue)].insert(number)
        guard let id = name.operationID else { return }
        if standing.isOfUnknownLane { unreadable.insert(id) }
        if let lane = standing.lane {
            line(id, standing, isFront: false)
            changeLane(lane.key) {
                $0.insert(
                    LaneIndex.Place(number: lane.number, id: id),
                    isPlaced: standing.placedLane != nil
                )
            }
        } else {
            line(id, standing, isFront: true)
        }
    }

    private mutating func unlist(_ number: Int64, _ name: FileName, _ standing: Standing) {
        numbersByState[Int(standing.state.rawValue)].remove(number)
        guard let id = name.operationID else { return }
        if standing.isOfUnknownLane { unreadable.remove(id) }
        if let lane = standing.lane {
            changeLane(lane.key) { $0.remove(LaneIndex.Place(number: lane.number, id: id)) }
        }
        let due = Due(time: standing.due, id: id)
        queue.remove(due)
        waitingBehind.remove(due)
    }

    /// Puts a queued operation into ``queue``, or, if it is not a front, into ``waitingBehind`` if
    /// it has a wait.
    private mutating func line(_ id: OperationID, _ standing: Standing, isFront: Bool) {
        guard standing.state == .queued else { return }
        let due = Due(time: standing.due, id: id)
        if isFront {
            waitingBehind.remove(due)
            queue.insert(due)
        } else {
            queue.remove(due)
            if standing.waitCause != .nothing { waitingBehind.insert(due) }
        }
    }

    private mutating func changeLane(_ key: OrderingKey, _ change: (inout LaneIndex) -> Void) {
        let front = lanes[key]?.front
        change(&lanes[key, default: LaneIndex()])
        if lanes[key]?.isEmpty == true { lanes[key] = nil }
        let next = lanes[key]?.front
        guard front != next else { return }
        if let front, let standing = standing(of: .operation(front)) {
            line(front, standing, isFront: false)
        }
        if let next, let standing = standing(of: .operation(next)) {
            line(next, standing, isFront: true)
        }
    }
}
