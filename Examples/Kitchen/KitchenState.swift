import StoreCore

/// All that the kitchen knows. Its methods are the rules; they know nothing of stores.
struct KitchenState: Sendable {
    private(set) var orders = EntityTable<Order, OrderIndexes>()
    private(set) var isOpen = true
    private var lastNumber = 0

    mutating func take(_ dish: String, table: Int) throws(KitchenError) -> EntityID<Order> {
        guard isOpen else { throw .closed }
        lastNumber += 1
        let id = EntityID<Order>(lastNumber)
        orders.insert(Order(id: id, table: table, dish: dish))
        return id
    }

    mutating func advance(_ id: EntityID<Order>) throws(KitchenError) {
        guard let order = orders[id] else { throw .unknownOrder(id.rawValue) }
        guard let next = order.stage.next else { throw .alreadyServed(id.rawValue) }
        orders[id]?.stage = next
    }

    /// Moves the orders on, all of them or none.
    mutating func advanceAll(of stage: Order.Stage) throws(KitchenError) {
        for id in orders.indexes.byStage[stage] { try advance(id) }
    }

    mutating func close() throws(KitchenError) {
        isOpen = false
        let unfinished = orders.indexes.byArrival.count
        guard unfinished == 0 else { throw .unfinished(unfinished) }
    }
}

enum KitchenError: Error, Hashable {
    case closed
    case unknownOrder(Int)
    case alreadyServed(Int)
    case unfinished(Int)

    var sentence: String {
        switch self {
        case .closed: "The kitchen is closed. Nothing was ordered."
        case .unknownOrder(let number): "There is no order \(number). Nothing has changed."
        case .alreadyServed(let number): "Order \(number) is served already. Nothing has changed."
        case .unfinished(let count): "\(count) not served yet. The kitchen stays open."
        }
    }
}
