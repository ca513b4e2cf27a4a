import Store

typealias KitchenStore = Store<KitchenState>

/// The actions. An action that throws leaves the kitchen as it was.
extension KitchenStore {
    @discardableResult
    func take(_ dish: String, table: Int) throws(KitchenError) -> EntityID<Order> {
        try commit { (kitchen) throws(KitchenError) in try kitchen.take(dish, table: table) }
    }

    func advance(_ id: EntityID<Order>) throws(KitchenError) {
        try commit { (kitchen) throws(KitchenError) in try kitchen.advance(id) }
    }

    func serveAll() throws(KitchenError) {
        try commit { (kitchen) throws(KitchenError) in try kitchen.advanceAll(of: .ready) }
    }

    func close() throws(KitchenError) {
        try commit { (kitchen) throws(KitchenError) in try kitchen.close() }
    }
}
