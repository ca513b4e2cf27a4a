import OutboxCore

/// The operations of one lane in their order.
///
/// Of those that have a place in it, the first is the front (``OutboxStorage``). Of the others it
/// is known how far they go, so that what is inserted comes behind all of them.
struct LaneIndex: Sendable {
    /// Where an operation was inserted: behind all with a smaller number. Operations that were
    /// inserted at the same time by several processes may have one number; their identifiers then
    /// decide, for every process in the same way.
    struct Place: Comparable, Hashable, Sendable {
        let number: UInt64
        let id: OperationID

        static func < (left: Place, right: Place) -> Bool {
            left.number != right.number ? left.number < right.number : left.id < right.id
        }
    }

    private var placed = SortedChunks<Place>()
    /// Also those without a place.
    private var count = 0
    /// At least the greatest number in the lane.
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    var front: OperationID? { placed.first?.id }

    /// A number behind all of the lane.
    var nextNumber: UInt64 { lastNumber == .max ? .max : lastNumber + 1 }

    mutating func insert(_ place: Place, isPlaced: Bool) {
        count += 1
        lastNumber = max(lastNumber, place.number)
        if isPlaced { placed.insert(place) }
    }

    mutating func remove(_ place: Place) {
        count -= 1
        placed.remove(place)
    }
}
