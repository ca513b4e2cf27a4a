import Store
import Synchronization
import Testing

// Normalising

struct Order: Entity {
    typealias RawID = Int
    enum Stage: Comparable { case waiting, cooking, ready, served }

    let id: EntityID<Order>
    var stage = Stage.waiting
}

extension Order {
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

struct OrderIndexes: EntityIndexes, Equatable {
    var byArrival = OrderedIndex<Order.ByArrival>()
    var byStage = GroupedIndex<Order.ByStage>()

    mutating func update(_ change: EntityChange<Order>) {
        byArrival.update(change)
        byStage.update(change)
    }
}

// Choosing what goes into a state

struct Kitchen {
    var orders = EntityTable<Order, OrderIndexes>()
    var isOpen = true
    // Not: var waitingCount, var sortedOrders.
}

enum KitchenError: Error {
    case unknownOrder, alreadyServed, unfinished
}

extension Order.Stage {
    var next: Self? {
        switch self {
        case .waiting: .cooking
        case .cooking: .ready
        case .ready: .served
        case .served: nil
        }
    }
}

extension Kitchen {
    mutating func advance(_ id: EntityID<Order>) throws(KitchenError) {
        guard let order = orders[id] else { throw .unknownOrder }
        guard let next = order.stage.next else { throw .alreadyServed }
        orders[id]?.stage = next
    }

    mutating func advanceAll(of stage: Order.Stage) throws(KitchenError) {
        for id in orders.indexes.byStage[stage] { try advance(id) }
    }
}

extension Kitchen {
    mutating func take(_ dish: String, table: Int) throws(KitchenError) -> EntityID<Order> {
        let order = Order(id: EntityID(orders.count + 1))
        orders.insert(order)
        return order.id
    }

    mutating func close() throws(KitchenError) {
        isOpen = false
        guard orders.indexes.byArrival.isEmpty else { throw .unfinished }
    }
}

extension Store<Kitchen> {
    func serveAll() throws(KitchenError) {
        try commit { (kitchen) throws(KitchenError) in try kitchen.advanceAll(of: .ready) }
    }
}

extension Store<Kitchen> {
    @discardableResult
    func take(_ dish: String, table: Int) throws(KitchenError) -> EntityID<Order> {
        try commit { (kitchen) throws(KitchenError) in try kitchen.take(dish, table: table) }
    }

    func close() throws(KitchenError) {
        try commit { (kitchen) throws(KitchenError) in try kitchen.close() }
    }
}

@Suite("Articles of Store")
struct StoreArticles {
    struct Document {
        var title = ""
        var name = ""
        var language = "en"
        var isOpen = true
        var orders = EntityTable<Order, OrderIndexes>()
    }

    /// Takes what an article shows.
    @MainActor
    final class View {
        var text = ""
        private(set) var shown: [String] = []

        func show(_ value: Any?, lit: Bool = false) {
            shown.append(value.map { "\($0)" } ?? "nothing")
        }
    }

    @Test func overview() {
        struct Kitchen {
            var orders = EntityTable<Order, OrderIndexes>()
            var isOpen = true
        }

        let store = Store(Kitchen())
        let subscription = store.sinkState { changes in
            changes.ifChanged(\.isOpen) { print($0 ? "open" : "closed") }
        }
        store.commit { $0.isOpen = false }
        withExtendedLifetime(subscription) {}
    }

    @Test func librariesPage() {
        struct Kitchen {
            var orders = EntityTable<Order, OrderIndexes>()
            var isOpen = true
        }

        @Sendable func show(_ orders: some Sequence<EntityID<Order>>) {}
        let order = Order(id: EntityID(1))
        do {
            let store = Store(Kitchen())
            let load = store.derived(\.orders) { $0.indexes.byStage.count(of: .waiting) }
            let pass = store.sinkGroup(\.orders, \.byStage, .ready) { changes in
                show(changes.orders.indexes.byStage[.ready])
            }
            store.commit { $0.orders[order.id]?.stage = .ready }
            #expect(load.value == 0)
            withExtendedLifetime(pass) {}
        }
    }

    @Test func choosing() {
        let settings = Store(Document(), name: "settings")
        let editor = Store(Document(), name: "editor")
        let subscription = settings.sinkState { changes in
            changes.ifChanged(\.language) { language in editor.commit { $0.language = language } }
        }
        settings.commit { $0.language = "ja" }
        #expect(editor.language == "ja")
        withExtendedLifetime(subscription) {}
    }

    @Test func normalising() {
        var orders = EntityTable<Order, OrderIndexes>()
        let order = Order(id: EntityID(1))
        orders.insert(order)
        orders[order.id]?.stage = .ready

        let old = Kitchen()
        let new = Kitchen(orders: orders)
        new.orders.changes(since: old.orders) { change in
            // change.old, change.new
        }
        #expect(orders[order.id]?.stage == .ready)
    }

    @Test func deriving() async {
        let store = Store(Kitchen())
        let load = store.derived(\.orders) { orders in
            let stages = orders.indexes.byStage
            return stages.count(of: .waiting) + stages.count(of: .cooking)
        }
        print(load.value)
        let sign = Sign()
        let mood = load.map { $0 == 0 ? "quiet" : $0 < 3 ? "busy" : "very busy" }
        let subscription = mood.sinkValue { sign.show($0) }
        #expect(mood.value == "quiet")
        withExtendedLifetime(subscription) {}
    }

    struct Sign {
        func show(_ text: String) {}
    }

    final class Portrait: Sendable {
        let seed = 1
    }

    struct Picture {
        let pixels: [Int]
    }

    struct Person {
        var portrait = Portrait()
        var points = [1, 2]
        var total: Int { points.reduce(0, +) }
    }

    @Test func comparisonOfYourOwn() {
        @Sendable func render(_ portrait: Portrait) -> Picture { Picture(pixels: [portrait.seed]) }
        let store = Store(Person())
        do {
            let portrait = store.derived(\.portrait, by: { $0 === $1 })
            let picture = portrait.map {
                render($0)
            } by: {
                $0.pixels == $1.pixels
            }
            #expect(picture.value.pixels == [1])
        }
    }

    @Test @MainActor func computed() async {
        let store = Store(Person())
        let label = Label()
        let subscription = store.sinkState { changes in
            changes.ifChanged(computed: \.total) { total in label.text = "\(total)" }
        }
        store.commit { $0.points = [4] }
        #expect(label.text == "4")
        withExtendedLifetime(subscription) {}
    }

    final class Label: Sendable {
        private let kept = Mutex("")

        var text: String {
            get { kept.withLock { $0 } }
            set { kept.withLock { $0 = newValue } }
        }
    }

    @Test @MainActor func observing() async {
        let store = Store(Document())
        let (label, sign, cell, list) = (View(), View(), View(), View())
        let id = EntityID<Order>(1)
        let subscription = store.sinkState(on: MainActor.shared) { changes in
            changes.ifChanged(\.title) { title in label.text = title }
            changes.ifChanged(\.isOpen, \.name) { isOpen, name in sign.show(name, lit: isOpen) }
        }
        let row = store.sinkEntity(\.orders, id, on: MainActor.shared) { change in
            cell.show(change.new)
        }
        let pass = store.sinkGroup(\.orders, \.byStage, .ready, on: MainActor.shared) { changes in
            list.show(changes.orders.indexes.byStage[.ready])
        }
        store.commit { $0.orders.insert(Order(id: id, stage: .ready)) }
        let task = Task {
            for await changes in store.changes {
                changes.ifChanged(\.isOpen) { print($0) }
            }
        }
        task.cancel()
        await task.value
        withExtendedLifetime((subscription, row, pass)) {}
    }

    // Testing a store

    @Test("an order that is served cannot be moved on")
    func served() throws {
        var kitchen = Kitchen()
        let soup = try kitchen.take("soup", table: 4)
        for _ in 0..<3 { try kitchen.advance(soup) }
        #expect(throws: KitchenError.alreadyServed) { try kitchen.advance(soup) }
    }

    @Test("closing with orders left changes nothing")
    func closing() throws {
        let store = Store(Kitchen())
        try store.take("soup", table: 4)
        #expect(throws: KitchenError.unfinished) { try store.close() }
        #expect(store.isOpen)
    }

    @Test func verifying() throws {
        let store = Store(Kitchen())
        try store.take("soup", table: 4)
        try store.serveAll()
        #expect(store.orders.indexes == store.orders.rebuiltIndexes())
        let log = store.sinkState { print($0) }  // commit 3, take(_:table:) at …
        withExtendedLifetime(log) {}
    }
}

/// The part of the article on observing that is written for SwiftUI, over types with its names.
@Suite("Articles of Store for SwiftUI")
@MainActor
struct StoreSwiftUIArticles {
    protocol View {
        associatedtype Body
        @MainActor var body: Body { get }
    }

    struct Text: View, Equatable {
        let text: String
        var body: Never { fatalError("a text has no parts") }

        init(_ text: String) { self.text = text }
    }

    struct SignView: View {
        let isOpen: Observed<Bool>
        let orders: Observed<Int>

        var body: some View {
            Text(isOpen.value ? "open, \(orders.value) orders" : "closed")
        }
    }

    @Test func observing() {
        let store = Store(Kitchen())
        let sign = SignView(
            isOpen: store.observed(\.isOpen),
            orders: store.derived { $0.orders.count }.observed()
        )
        #expect(sign.body as? Text == Text("open, 0 orders"))
        store.commit { $0.isOpen = false }
        #expect(sign.body as? Text == Text("closed"))
    }
}
