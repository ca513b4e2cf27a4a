import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxTesting
import Testing
import Waiting

/// Collections of values of the form `SHOP: TEXT`, with an index by shop.
@Suite struct CollectionTests {
    typealias Lists = OfflineFirstRepository<Int, String>
    typealias Items = [(key: Int, value: String)]

    let server = ManualServer<CollectionName, Items>()
    let single = ManualServer<Int, String?>()
    let clock = ManualClock()
    let cache = MemoryCache()
    let lists: Lists

    init() {
        lists = Self.repository(server, single, cache, clock)
    }

    static func repository(
        _ server: ManualServer<CollectionName, Items>,
        _ single: ManualServer<Int, String?>,
        _ cache: any ValueCache,
        _ clock: ManualClock
    ) -> Lists {
        Lists(
            "lists",
            in: cache,
            keys: .text,
            values: .text,
            indexes: [
                CollectionIndex("shop") { $0.split(separator: ":").first.map(String.init) }
            ],
            clock: clock.clock,
            fetch: { try await single.ask($0) },
            fetchCollection: { try await server.ask($0) }
        )
    }

    func learn(_ name: CollectionName, _ items: Items) async throws {
        async let known = lists.values(name, .networkOnly(timeLimit: .seconds(5)))
        await server.next().answer(items)
        _ = try await known
    }

    func shown(_ name: CollectionName = .all) throws -> [String]? {
        try lists.cached(name)?.value?.map(\.value)
    }

    @Test("a collection is cached with its items, in the server's order")
    func cached() async throws {
        async let first = lists.values()
        await server.next().answer([(2, "A: milk"), (1, "B: bread")])
        let fetched = try await first
        #expect(fetched.value?.map(\.key) == [2, 1] && fetched.source == .server)
        clock.advance(by: .seconds(9))
        let known = try await lists.values()
        #expect(known.value?.map(\.value) == ["A: milk", "B: bread"])
        #expect(known.age == .seconds(9) && known.source == .cache)
        #expect(try lists.cached(2)?.value == "A: milk")
        let refresh = await server.next()
        #expect(refresh.question == .all)
        refresh.answer([])
        await #expect(throws: RepositoryError.notCached) {
            try await lists.values(.by("shop", "A"), .cacheOnly)
        }
    }

    @Test("an empty collection is known")
    func empty() async throws {
        try await learn(.by("shop", "A"), [])
        #expect(try shown(.by("shop", "A")) == [])
        #expect(try shown() == nil)
    }

    @Test("changes of this device show in each collection at once")
    func localChanges() async throws {
        try await learn(.all, [(1, "A: milk"), (2, "B: bread"), (3, "A: eggs")])
        try await learn(.by("shop", "A"), [(1, "A: milk"), (3, "A: eggs")])
        try await lists.change(1, to: "A: oat milk")
        #expect(try shown() == ["A: oat milk", "B: bread", "A: eggs"])
        // It leaves the group, one comes to it, one is made, one is deleted.
        try await lists.change(1, to: "B: milk")
        try await lists.change(2, to: "A: bread")
        try await lists.change(9, to: "A: new")
        try await lists.change(3, to: nil)
        #expect(try shown(.by("shop", "A")) == ["A: bread", "A: new"])
        #expect(try shown() == ["B: milk", "A: bread", "A: new"])
        #expect(try lists.cached(.all)?.value?.allSatisfy(\.hasPendingChanges) == true)
        #expect(try lists.cached(.all)?.hasPendingChanges == true)
    }

    @Test(
        "a collection that was fetched before a settled creation still shows it, a later one decides"
    )
    func settledCreation() async throws {
        async let waiting = lists.values()
        let early = await server.next()
        try await lists.change(9, to: "A: new")
        try await lists.settle(9)
        early.answer([(1, "A: milk")])
        #expect(try await waiting.value?.map(\.value) == ["A: milk", "A: new"])
        try await learn(.all, [(1, "A: milk")])
        #expect(try shown() == ["A: milk"])
    }

    @Test("an older collection does not bring an older item back")
    func itemsAreOrdered() async throws {
        await lists.refresh(.all)
        let early = await server.next()
        async let late = lists.value(for: 1)
        await single.next().answer("A: new")
        #expect(try await late.value == "A: new")
        early.answer([(1, "A: old"), (2, "A: other")])
        try await waitUntil { try shown() != nil }
        #expect(try shown() == ["A: new", "A: other"])
    }

    @Test("what is made offline is shown although the collection was never fetched")
    func neverFetched() async throws {
        try await lists.change(9, to: "A: new")
        let known = try await lists.values(.all, .cacheOnly)
        #expect(known.value?.map(\.key) == [9] && known.source == .local)
        #expect(known.hasPendingChanges)
    }

    @Test("a collection of which an item was evicted is not cached, and is given out all the same")
    func evictedItem() async throws {
        let small = MemoryCache(limits: CacheLimits(entries: 3))
        let lists = Self.repository(server, single, small, clock)
        async let first = lists.values()
        await server.next().answer([(1, "A: 1"), (2, "A: 2"), (3, "A: 3"), (4, "A: 4")])
        #expect(try await first.value?.count == 4)
        #expect(try lists.cached(.all) == nil)
        var states = lists.states(of: .all).makeAsyncIterator()
        await server.next().answer([(1, "A: 1"), (2, "A: 2"), (3, "A: 3"), (4, "A: 4")])
        while let state = await states.next(), state.isRefreshing || state.known == nil {}
        await lists.reload()
        #expect(await states.next()?.value?.count == 4)
    }

    @Test("those who look at a collection see each change of an item")
    func states() async throws {
        try await learn(.all, [(1, "A: milk")])
        var states = lists.states(of: .all, refreshing: false).makeAsyncIterator()
        #expect(await states.next()?.value?.map(\.value) == ["A: milk"])
        try await lists.change(1, to: "A: oat milk")
        #expect(await states.next()?.value?.map(\.value) == ["A: oat milk"])
        await lists.refresh(.all)
        await server.next().fail(RefreshFailure.offline)
        while let state = await states.next() {
            guard let failure = state.failure else { continue }
            #expect(failure == .offline && !state.isRefreshing)
            #expect(state.value?.map(\.value) == ["A: oat milk"])
            break
        }
    }

    @Test("those who look at an item see it change with a collection")
    func itemStates() async throws {
        var states = lists.states(of: 1, refreshing: false).makeAsyncIterator()
        #expect(await states.next()?.known == nil)
        try await learn(.all, [(1, "A: milk")])
        #expect(await states.next()?.value == "A: milk")
    }

    @Test("two repositories over one cache do not mix, nor do two objects of one differ")
    func names() async throws {
        try await learn(.all, [(1, "A: milk")])
        let same = Self.repository(server, single, cache, clock)
        #expect(try same.cached(.all)?.value?.count == 1)
        let other = Lists(
            "other",
            in: cache,
            keys: .text,
            values: .text,
            fetch: { _ in nil }
        )
        #expect(try other.cached(.all) == nil && other.cached(1) == nil)
    }
}
