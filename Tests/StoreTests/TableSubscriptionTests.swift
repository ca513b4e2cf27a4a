import StoreCore
import Testing

@testable import Store

@Suite("Subscription to a part of a table")
struct TableSubscriptionTests {
    @Test(
        "a subscriber to one entity hears of it alone: as it is, changed, removed, back again"
    )
    func entity() {
        let store = Store(Notes())
        store.commit {
            $0.memos.insert(Memo(1, "a"))
            $0.memos.insert(Memo(2, "b"))
        }
        let told = Record<EntityChange<Memo>>()
        let subscription = store.sinkEntity(\.memos, EntityID(1)) { told.append($0) }
        store.commit { $0.memos.update(EntityID(2)) { $0.text = "other" } }
        store.commit { $0.count = 1 }
        store.commit { $0.memos.update(EntityID(1)) { $0.text = "c" } }
        store.commit { $0.memos.remove(EntityID(1)) }
        store.commit { $0.memos.insert(Memo(1, "d")) }
        #expect(
            told.elements == [
                .inserted(Memo(1, "a")), .updated(from: Memo(1, "a"), to: Memo(1, "c")),
                .removed(Memo(1, "c")), .inserted(Memo(1, "d")),
            ]
        )
        subscription.cancel()
        store.commit { $0.memos.remove(EntityID(1)) }
        #expect(told.elements.count == 4)
    }

    @Test("a subscriber to an entity that is not there is told nothing until it comes")
    func missingEntity() {
        let store = Store(Notes())
        let told = Record<EntityChange<Memo>>()
        let subscription = store.sinkEntity(\.memos, EntityID(1)) { told.append($0) }
        #expect(told.elements.isEmpty)
        store.commit { $0.memos.insert(Memo(1, "a")) }
        #expect(told.elements == [.inserted(Memo(1, "a"))])
        withExtendedLifetime(subscription) {}
    }

    @Test("a subscriber to one group is woken when an entity enters it, leaves it or changes in it")
    func group() {
        let store = Store(Notes())
        store.commit { for id in 1...3 { $0.memos.insert(Memo(id, "")) } }
        let told = Record<[Int]>()
        let subscription = store.sinkGroup(\.memos, \.byStatus, .sent) { changes in
            told.append(changes.memos.indexes.byStatus[.sent].map(\.rawValue))
        }
        store.commit { $0.memos.update(EntityID(1)) { $0.text = "still waiting" } }
        store.commit { $0.memos.update(EntityID(2)) { $0.status = .sent } }
        store.commit { $0.memos.insert(Memo(4, "", status: .sent)) }
        store.commit { $0.memos.update(EntityID(4)) { $0.text = "changed" } }
        store.commit { $0.memos.remove(EntityID(2)) }
        store.commit { $0.count = 1 }
        #expect(told.elements == [[], [2], [2, 4], [2, 4], [4]])
        withExtendedLifetime(subscription) {}
    }

    @Test("one commit that touches a group many times wakes its subscriber once")
    func groupOnce() {
        let store = Store(Notes())
        let told = Record<Int>()
        let subscription = store.sinkGroup(\.memos, \.byStatus, .waiting) { changes in
            told.append(changes.memos.count)
        }
        store.commit { for id in 0..<100 { $0.memos.insert(Memo(id, "")) } }
        #expect(told.elements == [0, 100])
        withExtendedLifetime(subscription) {}
    }

    @Test("a thousand subscribers to entities: a commit wakes the one that it concerns")
    func wakesOne() {
        let store = Store(Notes())
        store.commit { for id in 0..<1_000 { $0.memos.insert(Memo(id, "")) } }
        let told = Record<Int>()
        let subscriptions = (0..<1_000).map { id in
            store.sinkEntity(\.memos, EntityID(id)) { change in
                if change.old != nil { told.append(id) }
            }
        }
        for id in [5, 999, 0] { store.commit { $0.memos.update(EntityID(id)) { $0.text = "x" } } }
        #expect(told.elements == [5, 999, 0])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("a commit that throws tells no entity and no group")
    func rollback() {
        let store = Store(Notes())
        store.commit { $0.memos.insert(Memo(1, "a")) }
        let told = Record<String>()
        let subscriptions = [
            store.sinkEntity(\.memos, EntityID(1)) { _ in told.append("entity") },
            store.sinkGroup(\.memos, \.byStatus, .waiting) { _ in told.append("group") },
        ]
        #expect(throws: Refusal()) {
            try store.commit { notes throws(Refusal) in
                notes.memos.update(EntityID(1)) { $0.status = .sent }
                throw Refusal()
            }
        }
        #expect(told.elements == ["entity", "group"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("with the last subscription to its parts a table is no longer observed")
    func releasesTable() {
        let store = Store(Notes())
        var subscriptions = [
            store.sinkEntity(\.memos, EntityID(1)) { _ in },
            store.sinkGroup(\.memos, \.byStatus, .sent) { _ in },
        ]
        #expect(isObserved(store))
        subscriptions.removeLast()
        #expect(isObserved(store))
        subscriptions.removeLast()
        #expect(!isObserved(store))
    }

    private func isObserved(_ store: Store<Notes>) -> Bool {
        store.alone { locked, _ in !locked.sinks.isEmpty || !locked.hubs.isEmpty }
    }

    @Test("a merged backlog of an entity that came and went while nobody looked says nothing")
    func mergesEntity() async {
        let store = Store(Notes())
        store.commit { $0.memos.insert(Memo(1, "a")) }
        let told = Record<EntityChange<Memo>>()
        let kept = Record<Subscription>()
        await withCheckedContinuation { done in
            Task { @MainActor in
                // The main actor is busy here, so that nothing is handled before the last line.
                kept.append(
                    store.sinkEntity(
                        \.memos,
                        EntityID(1),
                        on: MainActor.shared,
                        backlog: .merged
                    ) { change in
                        told.append(change)
                        done.resume()
                    }
                )
                store.commit { $0.memos.update(EntityID(1)) { $0.text = "b" } }
                store.commit { $0.memos.remove(EntityID(1)) }
                store.commit { $0.memos.insert(Memo(1, "c")) }
                store.commit { $0.memos.update(EntityID(1)) { $0.text = "d" } }
            }
        }
        #expect(told.elements == [.inserted(Memo(1, "d"))])
        withExtendedLifetime(kept) {}
    }
}
