import Store
import StoreCore
import Testing

@Suite("Subscription")
struct SubscriptionTests {
    @Test("the current value comes first, then every commit, without a gap")
    func currentFirst() {
        let store = Store(Notes())
        store.commit { $0.count = 5 }
        let seen = Record<Changes<Notes>>()
        let subscription = store.sinkState { seen.append($0) }
        store.commit { $0.count = 6 }
        store.commit { $0.title = "x" }
        #expect(seen.elements.map(\.count) == [5, 6, 6])
        #expect(seen.elements.map { $0.previous?.count } == [nil, 5, 6])
        #expect(seen.elements.map(\.version) == [1, 2, 3])
        withExtendedLifetime(subscription) {}
    }

    @Test("changes are asked by key path, by several and transformed")
    func asksChanges() {
        let store = Store(Notes())
        let counts = Record<Int>()
        let pairs = Record<String>()
        let lengths = Record<Int>()
        let all = Record<String>()
        let subscription = store.sinkState { changes in
            changes.ifChanged(\.count) { counts.append($0) }
            changes.ifChanged(\.count, \.title) { pairs.append("\($0)\($1)") }
            changes.ifChanged(\.title, map: \.count) { lengths.append($0) }
            changes.ifAnyChanged(\.count, \.title, \.title.count, \.memos.count) {
                all.append("\($0)\($1)\($2)\($3)")
            }
        }
        store.commit { $0.count = 1 }
        store.commit { $0.title = "ab" }
        store.commit { $0.title = "cd" }
        store.commit { _ in }
        #expect(counts.elements == [0, 1])
        #expect(pairs.elements == ["0", "1", "1ab", "1cd"])
        #expect(lengths.elements == [0, 2])
        #expect(all.elements == ["000", "100", "1ab20", "1cd20"])
        withExtendedLifetime(subscription) {}
    }

    @Test(
        "a handler that commits hears of it afterwards, in order, and not inside itself"
    )
    func deliversReentrantCommits() {
        let store = Store(Notes())
        let first = Record<Int>()
        let second = Record<Int>()
        let depth = Record<Int>()
        let subscriptions = [
            store.sinkState { changes in
                depth.append(1)
                if changes.count < 3 { store.commit { $0.count += 1 } }
                first.append(changes.count)
                depth.append(-1)
            },
            store.sinkState { second.append($0.count) },
        ]
        #expect(first.elements == [0, 1, 2, 3])
        store.commit { $0.count = 1 }
        #expect(first.elements == [0, 1, 2, 3, 1, 2, 3])
        #expect(second.elements == [3, 1, 2, 3])
        let nesting = depth.elements.reduce(into: [0]) { $0.append($0.last! + $1) }
        #expect(nesting.max() == 1)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("every subscriber hears of one commit before any hears of one made by a handler")
    func deliversInRounds() {
        let store = Store(Notes())
        let heard = Record<String>()
        let subscriptions = ["a", "b"].map { name in
            store.sinkState { changes in
                heard.append("\(name)\(changes.count)")
                if name == "a", changes.count == 1 { store.commit { $0.count = 2 } }
            }
        }
        store.commit { $0.count = 1 }
        #expect(heard.elements == ["a0", "b0", "a1", "b1", "a2", "b2"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("ten thousand commits made by one handler after another do not deepen the stack")
    func deliversIteratively() {
        let store = Store(Notes())
        let subscription = store.sinkState { changes in
            if changes.count < 10_000 { store.commit { $0.count += 1 } }
        }
        #expect(store.count == 10_000)
        withExtendedLifetime(subscription) {}
    }

    @Test("none is delivered after cancel, nor after the subscription is dropped")
    func endsWithCancel() {
        let store = Store(Notes())
        let seen = Record<Int>()
        let cancelled = store.sinkState { seen.append($0.count) }
        var dropped: Subscription? = store.sinkState { seen.append(10 + $0.count) }
        #expect(dropped != nil)
        cancelled.cancel()
        dropped = nil
        store.commit { $0.count = 1 }
        cancelled.cancel()
        #expect(seen.elements == [0, 10])
    }

    @Test("a cancel inside the handler returns at once, and that delivery was the last")
    func cancelsInsideHandler() {
        let store = Store(Notes())
        let seen = Record<Int>()
        let own = Record<Subscription>()
        own.append(
            store.sinkState { changes in
                seen.append(changes.count)
                if changes.count == 1 {
                    store.commit { $0.count = 2 }
                    own.elements.first?.cancel()
                }
            }
        )
        store.commit { $0.count = 1 }
        store.commit { $0.count = 3 }
        #expect(seen.elements == [0, 1])
    }

    @Test("what the handler holds is freed by cancel")
    func freesHandler() {
        final class Screen: Sendable {}
        let store = Store(Notes())
        var screen: Screen? = Screen()
        weak let watched = screen
        let subscription = store.sinkState { [screen] _ in withExtendedLifetime(screen) {} }
        screen = nil
        #expect(watched != nil)
        subscription.cancel()
        #expect(watched == nil)
    }

    @Test("a store without subscriptions is freed")
    func freesStore() {
        var store: Store<Notes>? = Store(Notes())
        weak let watched = store
        var subscription = store?.sinkState { _ in }
        #expect(subscription != nil)
        store = nil
        #expect(watched != nil, "the subscription keeps it")
        subscription = nil
        #expect(watched == nil)
    }

    @Test("stores that feed each other in a ring settle")
    func ringSettles() {
        let ring = (0..<5).map { Store(Notes(), name: "\($0)") }
        let subscriptions = ring.indices.map { index in
            let next = ring[(index + 1) % ring.count]
            return ring[index].sinkState { changes in
                let count = changes.count
                if count > next.count { next.commit { $0.count = count } }
            }
        }
        ring[3].commit { $0.count = 7 }
        #expect(ring.map(\.count) == [7, 7, 7, 7, 7])
        ring[0].commit { $0.count = 9 }
        #expect(ring.map(\.count) == [9, 9, 9, 9, 9])
        withExtendedLifetime(subscriptions) {}
    }
}
