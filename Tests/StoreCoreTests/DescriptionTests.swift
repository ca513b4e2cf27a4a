import StoreCore
import Testing

@Suite("Printed values")
struct DescriptionTests {
    struct Order: Entity {
        typealias RawID = Int

        let id: EntityID<Order>
        var stage = "waiting"
    }

    enum ByNumber: IndexOrder {
        static func key(of order: Order) -> Int? { order.id.rawValue }
    }

    enum ByStage: IndexGrouping {
        static func group(of order: Order) -> String? { order.stage }
        static func key(of order: Order) -> Int? { order.id.rawValue }
    }

    struct Indexes: EntityIndexes {
        var byNumber = OrderedIndex<ByNumber>()
        var byStage = GroupedIndex<ByStage>()

        mutating func update(_ change: EntityChange<Order>) {
            byNumber.update(change)
            byStage.update(change)
        }
    }

    private let empty = EntityTable<Order, Indexes>()
    private let orders = EntityTable<Order, Indexes>(
        [
            Order(id: EntityID(7)), Order(id: EntityID(8), stage: "ready"),
            Order(id: EntityID(9)),
        ]
    )

    @Test("an identifier prints as the app's own identifier, alone and inside its entity")
    func identifiers() {
        #expect("\(EntityID<Order>(7))" == "7")
        #expect("\(Order(id: EntityID(7)))" == #"Order(id: 7, stage: "waiting")"#)
    }

    @Test("a table prints its entities, inside a state too")
    func tables() {
        struct State {
            var orders: EntityTable<Order, Indexes>
        }
        let one = EntityTable<Order, Indexes>([Order(id: EntityID(7))])
        let name = String(reflecting: Order.self)
        #expect("\(one)" == #"[\#(name)(id: 7, stage: "waiting")]"#)
        #expect("\(State(orders: one))" == "State(orders: \(one))")
        #expect("\(empty)" == "[]")
    }

    @Test("an index prints its identifiers in order, and a grouping its groups")
    func indexes() {
        #expect("\(orders.indexes.byNumber)" == "[7, 8, 9]")
        #expect("\(orders.indexes.byNumber[keys: 8..<10])" == "[8, 9]")
        #expect("\(orders.indexes.byStage["waiting"])" == "[7, 9]")
        #expect("\(orders.indexes.byStage)" == "[ready: [8], waiting: [7, 9]]")
        #expect("\(empty.indexes.byStage)" == "[:]")
    }

    @Test("changes print the commit's number and place, and no state")
    func changes() {
        let origin = CommitOrigin(name: "take(_:)", file: "Kitchen/Kitchen.swift", line: 9)
        let changes = Changes(previous: nil, current: "secret", version: 3, origin: origin)
        #expect("\(changes)" == "commit 3, take(_:) at Kitchen/Kitchen.swift:9")
    }
}
