import Observation
import OfflineFirst
import OfflineFirstTesting
import Synchronization
import Testing
import Waiting

@MainActor @Suite struct ObservedStateTests {
    @Test("an observer is told of the states that come after the one that it has read")
    func told() async throws {
        let lists = OfflineFirstRepository<Int, String>(
            "lists",
            in: MemoryCache(),
            keys: .text,
            values: .text,
            fetch: { _ in throw RefreshFailure.offline }
        )
        let list = lists.observed(7, refreshing: false)
        #expect(list.state.known == nil)
        let told = Mutex(0)
        try await lists.change(7, to: "milk")
        try await waitUntil { list.state.value == "milk" }
        let state = withObservationTracking {
            list.state
        } onChange: {
            told.withLock { $0 += 1 }
        }
        #expect(state.known?.hasPendingChanges == true)
        await lists.refresh(7)
        try await waitUntil { list.state.failure == .offline }
        #expect(told.withLock { $0 } == 1 && list.state.value == "milk")
    }

    @Test("an observer of a collection sees its items, and one that is gone is forgotten")
    func collection() async throws {
        let lists = OfflineFirstRepository<Int, String>(
            "lists",
            in: MemoryCache(),
            keys: .text,
            values: .text,
            fetch: { _ in nil },
            fetchCollection: { _ in [(1, "milk"), (2, "bread")] }
        )
        var all: ObservedState<[RepositoryItem<Int, String>]>? = lists.observed(.all)
        try await waitUntil { all?.state.value?.map(\.value) == ["milk", "bread"] }
        weak let gone = all
        all = nil
        try await waitUntil { gone == nil }
    }
}
