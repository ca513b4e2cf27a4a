import StoreCore

/// One dish for one table of the restaurant.
struct Order: Entity, Sendable {
    typealias RawID = Int

    let id: EntityID<Order>
    let table: Int
    let dish: String
    var stage = Stage.waiting

    /// Where an order is on its way.
    enum Stage: Comparable, Sendable {
        case waiting, cooking, ready, served

        /// The stage that follows; `nil` after the last one.
        var next: Stage? {
            switch self {
            case .waiting: .cooking
            case .cooking: .ready
            case .ready: .served
            case .served: nil
            }
        }
    }
}

extension Order {
    /// First come, first served. Served orders are not in the index.
    enum ByArrival: IndexOrder {
        static func key(of order: Order) -> Int? {
            order.stage == .served ? nil : order.id.rawValue
        }
    }

    enum ByStage: IndexGrouping {
        static func group(of order: Order) -> Stage? { order.stage }
        static func key(of order: Order) -> Int? { order.id.rawValue }
    }
}

struct OrderIndexes: EntityIndexes, Sendable {
    var byArrival = OrderedIndex<Order.ByArrival>()
    var byStage = GroupedIndex<Order.ByStage>()

    mutating func update(_ change: EntityChange<Order>) {
        byArrival.update(change)
        byStage.update(change)
    }
}
