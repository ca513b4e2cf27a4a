import OutboxCore

/// The operations of one lane in their order.
///
/// The first operation with a place in the lane is the front (``OutboxStorage``). Of operations
/// without a place the index knows only their greatest number, so that a new operation comes behind
/// all of them.
struct LaneIndex: Sendable {
    /// The place of an operation: behind all operations with a smaller number. Operations that
    /// several processes inserted at the same time may have one number; their identifiers then
    /// decide, for every process in the same way.
    struct Place: Comparable, Hashable, Sendable {
        let number: UInt64
        let id: OperationID

        static func < (left: Place, right: Place) -> Bool {
            left.number != right.number ? left.number < right.number : left.id < right.id
        }
    }

    private var placed = SortedChunks<Place>()
    /// The number of operations, with or without a place.
    private var count = 0
    /// At least the greatest number in the lane.
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    var front: OperationID? { placed.first?.id }

    /// A number behind all operations of the lane.
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
