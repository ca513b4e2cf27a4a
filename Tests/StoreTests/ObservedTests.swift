import Observation
import Store
import Testing
import Waiting

@Suite("An observed value")
@MainActor
struct ObservedTests {
    @MainActor
    private final class Told {
        var count = 0
    }

    /// Reads the value as a view does: the change after it is counted once.
    @discardableResult
    private func read<Value>(_ observed: Observed<Value>, _ told: Told) -> Value {
        withObservationTracking {
            observed.value
        } onChange: {
            MainActor.assumeIsolated { told.count += 1 }
        }
    }

    /// Waits until everything that was handed to the main actor before has run.
    private func settle(_ store: Store<Notes>) async throws {
        let observed = store.observed(\.count)
        let told = Told()
        let count = read(observed, told)
        store.commit { $0.count = count + 1 }
        try await waitUntil { told.count == 1 }
    }

    @Test("is current inside the action that changed it, before observers are told")
    func current() {
        let store = Store(Notes(title: "Kitchen"))
        let title = store.observed(\.title)
        #expect(title.value == "Kitchen")
        store.commit { $0.title = "Closed" }
        #expect(title.value == "Closed")
    }

    @Test("tells an observer once, and again after it has read again")
    func told() async throws {
        let store = Store(Notes(title: "Kitchen"))
        let title = store.observed(\.title)
        let told = Told()
        read(title, told)
        store.commit { $0.title = "a" }
        store.commit { $0.title = "b" }
        try await waitUntil { told.count > 0 }
        try await settle(store)
        #expect(told.count == 1)
        #expect(read(title, told) == "b")
        store.commit { $0.title = "c" }
        try await waitUntil { told.count == 2 }
    }

    @Test("does not tell of commits that leave it equal")
    func equal() async throws {
        let store = Store(Notes(title: "Kitchen"))
        let title = store.observed(\.title)
        try await settle(store)
        let told = Told()
        read(title, told)
        for _ in 0..<10 { store.commit { $0.count += 1 } }
        try await settle(store)
        #expect(told.count == 0)
    }

    @Test("that changes and changes back is told to an observer that has read what was between")
    func between() async throws {
        let store = Store(Notes(title: "Kitchen"))
        let title = store.observed(\.title)
        try await settle(store)
        store.commit { $0.title = "between" }
        let told = Told()
        #expect(read(title, told) == "between")
        store.commit { $0.title = "Kitchen" }
        try await waitUntil { told.count == 1 }
        #expect(title.value == "Kitchen")
    }

    @Test("is told of commits of other threads, on the main actor")
    func threads() async throws {
        let store = Store(Notes(title: "Kitchen"))
        let count = store.observed(\.count)
        let told = Told()
        read(count, told)
        await withTaskGroup { tasks in
            for _ in 0..<8 {
                tasks.addTask { for _ in 0..<100 { store.commit { $0.count += 1 } } }
            }
        }
        try await waitUntil { told.count > 0 }
        #expect(count.value == 800)
    }

    @Test("ends its subscription when the last reference to it is gone")
    func freed() async throws {
        let store = Store(Notes(title: "Kitchen"))
        weak var gone: Observed<String>?
        do {
            let title = store.observed(\.title)
            gone = title
            #expect(title.value == "Kitchen")
        }
        try await waitUntil { gone == nil }
        store.commit { $0.title = "nobody" }
    }

    @Test("is an entity of a table: told of its own changes, not of its neighbours'")
    func entity() async throws {
        let store = Store(Notes())
        let row = store.observedEntity(\.memos, EntityID(1))
        let told = Told()
        #expect(read(row, told) == nil)
        store.commit { $0.memos.insert(Memo(1, "one")) }
        try await waitUntil { told.count == 1 }
        #expect(read(row, told)?.text == "one")
        let neighbour = store.observedEntity(\.memos, EntityID(2))
        let other = Told()
        read(neighbour, other)
        store.commit { $0.memos.insert(Memo(2, "two")) }
        try await waitUntil { other.count == 1 }
        #expect(told.count == 1)
        store.commit { $0.memos.remove(EntityID(1)) }
        try await waitUntil { told.count == 2 }
        #expect(row.value == nil)
    }
}
