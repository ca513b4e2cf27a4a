import Store
import Synchronization
import Testing

@testable import Kitchen

@Suite struct KitchenTests {
    @Test("the rules hold without a store")
    func rules() throws {
        var kitchen = KitchenState()
        let soup = try kitchen.take("soup", table: 4)
        try kitchen.advance(soup)
        #expect(kitchen.orders[soup]?.stage == .cooking)
        #expect(throws: KitchenError.unknownOrder(9)) { try kitchen.advance(EntityID(9)) }
    }

    @Test("closing with orders left changes nothing")
    func closingRollsBack() throws {
        let store = KitchenStore(KitchenState())
        try store.take("soup", table: 4)
        #expect(throws: KitchenError.unfinished(1)) { try store.close() }
        #expect(store.isOpen)
    }

    @Test("the board writes what has changed, and nothing else")
    func board() throws {
        let written = Lines()
        let store = KitchenStore(KitchenState())
        let board = Board(store) { written.append($0) }
        #expect(
            written.take() == [
                "The kitchen is quiet.", "At the pass: nothing.", "The kitchen is open.",
            ]
        )
        let soup = try store.take("soup", table: 4)
        #expect(written.take() == ["The kitchen is busy."])
        try store.advance(soup)
        #expect(written.take() == [])
        try store.advance(soup)
        #expect(
            written.take().sorted() == ["At the pass: soup for table 4.", "The kitchen is quiet."]
        )
        try store.serveAll()
        #expect(written.take() == ["At the pass: nothing."])
        try store.close()
        #expect(written.take() == ["The kitchen is closed."])
        withExtendedLifetime(board) {}
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
