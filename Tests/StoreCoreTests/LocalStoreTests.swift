import StoreCore
import Testing

@Suite("LocalStore")
struct LocalStoreTests {
    struct Refusal: Error {}

    @Test("an observer is handed the state as it is, then every commit in order")
    func delivery() {
        let store = LocalStore(1)
        var seen: [[Int?]] = []
        let subscription = store.observe {
            seen.append([$0.previous, $0.current, Int($0.version)])
        }
        store.commit { $0 = 2 }
        #expect(
            store.commit {
                $0 += 1
                return $0 * 10
            } == 30
        )
        #expect(seen == [[nil, 1, 0], [1, 2, 1], [2, 3, 2]])
        #expect(store.state == 3)
        subscription.cancel()
    }

    @Test("a commit that throws changes nothing and nobody hears of it")
    func rollback() {
        let store = LocalStore([1])
        var deliveries = 0
        let subscription = store.observe { _ in deliveries += 1 }
        #expect(throws: Refusal.self) {
            try store.commit { state throws(Refusal) in
                state.append(2)
                throw Refusal()
            }
        }
        #expect(store.state == [1])
        #expect(store.version == 0)
        #expect(deliveries == 1)
        subscription.cancel()
    }

    @Test("what a handler commits is delivered afterwards, in order, to everybody")
    func reentrantCommits() {
        let store = LocalStore(0)
        var first: [Int] = []
        var second: [Int] = []
        var depth = 0
        let one = store.observe { changes in
            depth += 1
            #expect(depth == 1, "a handler is not called inside itself")
            first.append(changes.current)
            if changes.current < 3 { store.commit { $0 += 1 } }
            depth -= 1
        }
        let two = store.observe { second.append($0.current) }
        #expect(first == [0, 1, 2, 3])
        #expect(second == [3])
        store.commit { $0 = 1 }
        #expect(first == [0, 1, 2, 3, 1, 2, 3])
        #expect(second == [3, 1, 2, 3])
        one.cancel()
        two.cancel()
    }

    @Test("an observer that subscribes inside a handler sees no commit twice and none from before")
    func subscriptionInsideHandler() {
        let store = LocalStore(0)
        var late: [Int] = []
        var inner: LocalSubscription?
        let outer = store.observe { changes in
            if changes.current == 1 {
                store.commit { $0 = 2 }
                inner = store.observe { late.append($0.current) }
                store.commit { $0 = 3 }
            }
        }
        store.commit { $0 = 1 }
        #expect(late == [2, 3])
        store.commit { $0 = 4 }
        #expect(late == [2, 3, 4])
        outer.cancel()
        inner?.cancel()
    }

    @Test("nothing is delivered after cancel, also from inside a handler or a dropped subscription")
    func cancellation() {
        let store = LocalStore(0)
        var seen: [String] = []
        var second: LocalSubscription?
        let first = store.observe { changes in
            seen.append("first \(changes.current)")
            if changes.current == 1 { second?.cancel() }
        }
        second = store.observe { seen.append("second \($0.current)") }
        store.commit { $0 = 1 }
        #expect(seen == ["first 0", "second 0", "first 1"])
        first.cancel()
        first.cancel()
        store.commit { $0 = 2 }
        do {
            _ = store.observe { seen.append("dropped \($0.current)") }
        }
        store.commit { $0 = 3 }
        #expect(seen == ["first 0", "second 0", "first 1", "dropped 2"])
    }

    @Test("a cancelled handler is released")
    func release() {
        final class Held {}
        let store = LocalStore(0)
        weak var held: Held?
        let subscription: LocalSubscription
        do {
            let strong = Held()
            held = strong
            subscription = store.observe { _ in withExtendedLifetime(strong) {} }
        }
        #expect(held != nil)
        subscription.cancel()
        #expect(held == nil)
    }

    @Test("a commit tells where it was made")
    func origin() {
        let store = LocalStore(0)
        var origin: CommitOrigin?
        let subscription = store.observe { origin = $0.origin }
        let line: UInt = #line + 1
        store.commit("rename") { $0 = 1 }
        #expect(origin.map { "\($0.name)" } == "rename")
        #expect(origin?.line == line)
        subscription.cancel()
    }

    @Test("using a store inside its own commit stops the program")
    func nestedUse() async {
        await #expect(processExitsWith: .failure) {
            let store = LocalStore(0)
            store.commit { _ in store.commit { $0 = 1 } }
        }
        await #expect(processExitsWith: .failure) {
            let store = LocalStore(0)
            store.commit { $0 = store.state }
        }
    }
}
