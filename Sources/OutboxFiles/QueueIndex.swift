import Outbox
import OutboxCore

/// Which entries a folder holds and when each is due: all that is known without reading the files
/// again. Rebuilt from them whenever a store is opened to be read; never stored.
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
    /// Queued operations that are in no lane or the front of theirs.
    private(set) var queue = SortedChunks<Due>()
    /// Operations that are queued behind others, and would have to wait if they were not.
    private(set) var waitingBehind = SortedChunks<Due>()
    private var lastNumber: Int64 = 0
    /// How many cannot be read, of lanes that are not known.
    private var unreadable = 0

    var names: some Sequence<FileName> { numbers.keys }

    func count(in state: OperationState) -> Int { numbersByState[Int(state.rawValue)].count }

    func number(of name: FileName) -> Int64? { numbers[name] }

    func name(of number: Int64) -> FileName? { entries[number]?.name }

    func standing(of number: Int64) -> Standing? { entries[number]?.standing }

    func standing(of name: FileName) -> Standing? {
        number(of: name).flatMap { standing(of: $0) }
    }

    /// Those that count as quarantined although their files do not say so.
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

    /// When operations are due that have to wait until after `moment`, the farthest first.
    func waits(beyond moment: WallTime) -> [Due] {
        let (fronts, others) = (queue.descending, waitingBehind.descending)
        return (fronts.prefix { $0.time > moment } + others.prefix { $0.time > moment })
            .sorted { $0 > $1 }
    }

    /// How many numbers are left free for an entry that cannot be read, and for what was inserted
    /// behind it by who could read it.
    private static let room: UInt64 = 1 << 20

    /// A number behind all operations of a lane, also those that may be in it and cannot be read.
    ///
    /// One of those may have left room for others that its process could not read. So where any
    /// cannot be read the number is, besides, that of the moment at which `id` was made, in the bits
    /// that an identifier begins with: ahead of what was inserted so before, but for a clock that
    /// was set back meanwhile.
    func nextNumber(in lane: OrderingKey, for id: OperationID) -> UInt64 {
        let next = lanes[lane]?.nextNumber ?? 1
        guard unreadable > 0 else { return next }
        let (number, isBeyondAll) = next.addingReportingOverflow(UInt64(unreadable) * Self.room)
        return isBeyondAll ? .max : max(number, id.high)
    }

    /// Adds an entry, or changes where it stands.
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

    /// Makes eligible what waits under an epoch that is over.
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
        if standing.isOfUnknownLane { unreadable += 1 }
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
        if standing.isOfUnknownLane { unreadable -= 1 }
        if let lane = standing.lane {
            changeLane(lane.key) { $0.remove(LaneIndex.Place(number: lane.number, id: id)) }
        }
        let due = Due(time: standing.due, id: id)
        queue.remove(due)
        waitingBehind.remove(due)
    }

    /// Puts an operation among those that are attempted, or those behind them.
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
