import Store

/// The board over the pass: writes a line when something that it shows has changed.
struct Board {
    private let subscriptions: [Subscription]

    init(_ store: KitchenStore, write: @escaping @Sendable (String) -> Void) {
        let load = store.derived(\.orders) { orders in
            let stages = orders.indexes.byStage
            return stages.count(of: .waiting) + stages.count(of: .cooking)
        }
        // Told when the rounded load changes, not when each order comes or goes.
        let mood = load.map { $0 == 0 ? "quiet" : $0 < 3 ? "busy" : "very busy" }
        subscriptions = [
            mood.sinkValue { write("The kitchen is \($0).") },
            store.sinkGroup(\.orders, \.byStage, .ready) { changes in
                let ready = changes.orders.indexes.byStage[.ready]
                let dishes = ready.compactMap { changes.orders[$0] }
                    .map { "\($0.dish) for table \($0.table)" }
                let list = dishes.isEmpty ? "nothing" : dishes.joined(separator: ", ")
                write("At the pass: \(list).")
            },
            store.sinkState { changes in
                changes.ifChanged(\.isOpen) { isOpen in
                    write(isOpen ? "The kitchen is open." : "The kitchen is closed.")
                }
            },
        ]
    }
}
