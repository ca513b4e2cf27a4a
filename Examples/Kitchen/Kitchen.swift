import Store

/// Reads commands, one a line, until the kitchen closes or the input ends.
@main struct Kitchen {
    static func main() {
        let store = KitchenStore(KitchenState())
        let board = Board(store) { print("  \($0)") }
        print("order TABLE DISH | next NUMBER | serve | list | close")
        withExtendedLifetime(board) {
            while store.isOpen, let line = readLine() {
                do throws(KitchenError) {
                    try obey(line.split(separator: " "), store)
                } catch {
                    print(error.sentence)
                }
            }
        }
    }

    private static func obey(
        _ words: [Substring],
        _ store: KitchenStore
    ) throws(KitchenError) {
        switch (words.first, words.count) {
        case ("order", 3...):
            guard let table = Int(words[1]) else { return print("The table is a number.") }
            let id = try store.take(words[2...].joined(separator: " "), table: table)
            print("Order \(id.rawValue).")
        case ("next", 2):
            guard let number = Int(words[1]) else { return print("The order is a number.") }
            try store.advance(EntityID(number))
        case ("serve", 1):
            try store.serveAll()
        case ("list", 1):
            let orders = store.orders
            for case let order? in orders.indexes.byArrival.map({ orders[$0] }) {
                print("\(order.id.rawValue). table \(order.table): \(order.dish), \(order.stage)")
            }
        case ("close", 1):
            try store.close()
        default:
            print("order TABLE DISH | next NUMBER | serve | list | close")
        }
    }
}
