import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxTesting
import Testing
import Waiting

/// A repository over a cache in memory and a server by hand. Every interleaving is made on purpose: a
/// test decides when a request is answered.
@Suite struct RepositoryTests {
    typealias Lists = OfflineFirstRepository<Int, String>

    let server = ManualServer<Int, String?>()
    let clock = ManualClock()
    let cache = MemoryCache()
    let lists: Lists

    init() {
        lists = Self.repository(server, cache, clock)
    }

    static func repository(
        _ server: ManualServer<Int, String?>,
        _ cache: any ValueCache,
        _ clock: ManualClock,
        _ settings: RepositorySettings = RepositorySettings()
    ) -> Lists {
        Lists(
            "lists",
            in: cache,
            keys: .text,
            values: .text,
            settings: settings,
            clock: clock.clock
        ) { try await server.ask($0) }
    }

    /// Lets the server answer once, and the repository keep the answer.
    func learn(_ key: Int, _ value: String?) async throws {
        async let known = lists.value(for: key, .networkOnly(timeLimit: .seconds(5)))
        await server.next().answer(value)
        _ = try await known
    }

    // MARK: Policies

    @Test("an uncached value comes from the network, a cached one at once with its age")
    func cacheThenNetwork() async throws {
        async let first = lists.value(for: 7)
        await server.next().answer("milk")
        let fetched = try await first
        #expect(fetched.value == "milk" && fetched.source == .server)
        #expect(fetched.age == Milliseconds(0) && !fetched.hasPendingChanges)
        clock.advance(by: .seconds(90))
        // The server does not answer, and nobody waits for it.
        let cached = try await lists.value(for: 7)
        #expect(cached.value == "milk" && cached.source == .cache && cached.age == .seconds(90))
        let refresh = await server.next()
        #expect(refresh.question == 7)
        refresh.answer("bread")
        try await waitUntil { try lists.cached(7)?.value == "bread" }
        #expect(try lists.cached(7)?.age == Milliseconds(0))
    }

    @Test("a value that the server does not have is known not to exist, also offline")
    func absent() async throws {
        try await learn(7, nil)
        let known = try await lists.value(for: 7, .cacheOnly)
        #expect(known.value == nil)
        #expect(server.askedCount == 1)
    }

    @Test("the cache alone is asked, and fetches nothing")
    func cacheOnly() async throws {
        await #expect(throws: RepositoryError.notCached) {
            try await lists.value(for: 7, .cacheOnly)
        }
        #expect(try lists.cached(7) == nil)
        try await learn(7, "milk")
        #expect(try await lists.value(for: 7, .cacheOnly).value == "milk")
        #expect(server.askedCount == 1)
    }

    @Test(
        "offline and uncached is an error with its reason",
        arguments: [
            RefreshFailure.offline, .refused("http.500"), .failed(type: "OfflineFirstTests.Odd"),
        ]
    )
    func unavailable(failure: RefreshFailure) async throws {
        async let value = lists.value(for: 7)
        await server.next().fail(
            failure == .failed(type: "OfflineFirstTests.Odd") ? Odd() : failure
        )
        do {
            _ = try await value
            Issue.record("there was a value")
        } catch let error as RepositoryError {
            #expect(error == .unavailable(failure))
        }
        // The next one asks anew.
        async let again = lists.value(for: 7)
        await server.next().answer("milk")
        #expect(try await again.value == "milk")
    }

    @Test("the network alone is an error when it fails, and the cached value stays")
    func networkOnlyFails() async throws {
        try await learn(7, "milk")
        async let value = lists.value(for: 7, .networkOnly(timeLimit: .seconds(5)))
        await server.next().fail(RefreshFailure.offline)
        do {
            _ = try await value
            Issue.record("there was a value")
        } catch let error as RepositoryError {
            #expect(error == .unavailable(.offline))
        }
        #expect(try lists.cached(7)?.value == "milk")
    }

    @Test("the network alone is waited for up to the time limit; a later answer is kept")
    func timeLimit() async throws {
        async let value = lists.value(for: 7, .networkOnly(timeLimit: .seconds(5)))
        let request = await server.next()
        try await waitUntil { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(5))
        do {
            _ = try await value
            Issue.record("there was a value")
        } catch let error as RepositoryError {
            #expect(error == .unavailable(.timedOut))
        }
        request.answer("milk")
        try await waitUntil { try lists.cached(7)?.value == "milk" }
    }

    @Test("a fresh value is not refreshed, an older one is, and so is one of the future")
    func freshness() async throws {
        let settings = RepositorySettings(freshness: .seconds(60))
        let lists = Self.repository(server, cache, clock, settings)
        try await learn(7, "milk")
        clock.advance(by: Milliseconds(59_999))
        _ = try await lists.value(for: 7)
        #expect(server.askedCount == 1)
        clock.advance(by: Milliseconds(1))
        _ = try await lists.value(for: 7)
        await server.next().answer("bread")
        try await waitUntil { try lists.cached(7)?.value == "bread" }
        // Somebody sets the clock back by an hour.
        clock.setWallTime(movedBy: .seconds(-3600))
        #expect(try await lists.value(for: 7).age == Milliseconds(0))
        await server.next().answer("eggs")
        try await waitUntil { try lists.cached(7)?.value == "eggs" }
        #expect(server.askedCount == 3)
    }

    // MARK: Flights

    @Test("one refresh of a key at a time, however many ask")
    func singleFlight() async throws {
        try await withThrowingTaskGroup(of: String?.self) { tasks in
            for _ in 0..<50 { tasks.addTask { try await lists.value(for: 7).value } }
            let request = await server.next()
            for _ in 0..<50 { await lists.refresh(7) }
            request.answer("milk")
            for try await value in tasks { #expect(value == "milk") }
        }
        #expect(server.askedCount == 1)
    }

    @Test("at most as many fetches as are allowed are under way, and all come to their turn")
    func maximumFlights() async throws {
        let lists = Self.repository(server, cache, clock, RepositorySettings(maximumFlights: 2))
        for key in 1...5 { await lists.refresh(key) }
        // One stays in the air, so that one place is left.
        let first = await server.next()
        var asked = [first.question]
        for count in 2...5 {
            let request = await server.next()
            #expect(server.askedCount == count)
            asked.append(request.question)
            request.answer("milk")
        }
        first.answer("milk")
        #expect(asked.sorted() == [1, 2, 3, 4, 5])
    }

    @Test("a fetch that never ends is given up, and its late answer is not taken")
    func flightLimit() async throws {
        async let value = lists.value(for: 7)
        let lost = await server.next()
        try await waitUntil { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(30))
        do {
            _ = try await value
            Issue.record("there was a value")
        } catch let error as RepositoryError {
            #expect(error == .unavailable(.timedOut))
        }
        async let again = lists.value(for: 7)
        let request = await server.next()
        lost.answer("old")
        request.answer("new")
        #expect(try await again.value == "new")
        #expect(try lists.cached(7)?.value == "new")
    }

    @Test("a cancelled task stops waiting, and the refresh goes on")
    func cancelled() async throws {
        let waiting = Task { try await lists.value(for: 7) }
        let request = await server.next()
        waiting.cancel()
        await #expect(throws: RepositoryError.cancelled) { try await waiting.value }
        request.answer("milk")
        try await waitUntil { try lists.cached(7)?.value == "milk" }
    }

    // MARK: Order

    @Test("an answer never overwrites the answer to a later request, whichever comes first")
    func answersAreOrdered() async throws {
        let other = Self.repository(server, cache, clock)
        for isLateFirst in [true, false] {
            await lists.refresh(7)
            let early = await server.next()
            await other.refresh(7)
            let late = await server.next()
            let order =
                isLateFirst ? [(late, "new"), (early, "old")] : [(early, "old"), (late, "new")]
            for (request, value) in order {
                request.answer(value)
                try await waitUntil {
                    try lists.cached(7)?.value == (isLateFirst ? "new" : value)
                }
            }
            // Both flights are over.
            for repository in [lists, other] {
                async let next = repository.value(for: 8, .networkOnly(timeLimit: .seconds(1)))
                await server.next().answer("other")
                _ = try await next
            }
            #expect(try lists.cached(7)?.value == "new")
        }
    }

    @Test("a local change is shown at once, and makes the answers to earlier requests void")
    func localChange() async throws {
        async let waiting = lists.value(for: 7)
        let early = await server.next()
        try await lists.change(7, to: "mine")
        #expect(try lists.cached(7)?.source == .local)
        early.answer("theirs")
        let known = try await waiting
        #expect(known.value == "mine" && known.source == .local && known.hasPendingChanges)
        #expect(try lists.cached(7)?.value == "mine")
    }

    @Test("no refetch overtakes a pending change; after its settlement only a later request counts")
    func pendingChange() async throws {
        try await learn(7, "milk")
        try await lists.change(7, to: "mine")
        await lists.refresh(7)
        let during = await server.next()
        #expect(try await lists.settle(7))
        #expect(try await !lists.settle(7))
        during.answer("milk")
        try await learn(8, "other")
        #expect(try lists.cached(7)?.value == "mine")
        try await learn(7, "server")
        #expect(try lists.cached(7)?.value == "server")
    }

    @Test("a request that a local change made void is made once more for those who look")
    func voidFlightFliesAgain() async throws {
        var states = lists.states(of: 7).makeAsyncIterator()
        let early = await server.next()
        try await lists.change(7, to: "mine", isPending: false)
        early.answer("old")
        let again = await server.next()
        #expect(again.question == 7)
        again.answer("new")
        while let state = await states.next() {
            #expect(state.value != "old")
            if state.value == "new" { break }
        }
        #expect(server.askedCount == 2)
    }

    @Test("a discarded change is gone, and the server's value comes with the next refresh")
    func discarded() async throws {
        try await lists.change(7, to: "mine")
        #expect(try await lists.discard(7))
        #expect(try await !lists.discard(7))
        #expect(try lists.cached(7) == nil)
        try await learn(7, "milk")
        #expect(try lists.cached(7)?.value == "milk")
    }

    @Test("a change that cannot be encoded or stored changes nothing")
    func failedChange() async throws {
        try await learn(7, "milk")
        cache.fail(with: .storage(.diskFull))
        await #expect(throws: RepositoryError.cache(.storage(.diskFull))) {
            try await lists.change(7, to: "mine")
        }
        cache.fail(with: nil)
        #expect(try lists.cached(7)?.value == "milk")
    }

    // MARK: Failing caches

    @Test("while the cache cannot be used the network's value is given out")
    func brokenCache() async throws {
        cache.fail(with: .storage(.corrupt))
        async let value = lists.value(for: 7)
        await server.next().answer("milk")
        let known = try await value
        #expect(known.value == "milk" && known.source == .server)
        async let failing = lists.value(for: 7)
        await server.next().fail(RefreshFailure.offline)
        do {
            _ = try await failing
            Issue.record("there was a value")
        } catch let error as RepositoryError {
            #expect(error == .cache(.storage(.corrupt)))
        }
        await #expect(throws: RepositoryError.cache(.storage(.corrupt))) {
            try await lists.value(for: 7, .cacheOnly)
        }
        #expect(throws: RepositoryError.cache(.storage(.corrupt))) { try lists.cached(7) }
    }

    @Test("a value that this build cannot decode is a miss, and the next answer overwrites it")
    func undecodable() async throws {
        let numbers = OfflineFirstRepository<Int, Int>(
            "lists",
            in: cache,
            keys: .text,
            values: .text,
            clock: clock.clock,
            fetch: { $0 * 2 }
        )
        try await learn(7, "milk")
        #expect(try numbers.cached(7) == nil)
        #expect(try await numbers.value(for: 7).value == 14)
        #expect(try numbers.cached(7)?.value == 14)
    }

    @Test("a value that the cache has no room for is given out and shown all the same")
    func noRoom() async throws {
        let cache = MemoryCache(limits: CacheLimits(value: 3))
        let lists = Self.repository(server, cache, clock)
        var states = lists.states(of: 7).makeAsyncIterator()
        async let value = lists.value(for: 7)
        await server.next().answer("a long list")
        #expect(try await value.value == "a long list")
        while let state = await states.next() {
            guard !state.isRefreshing, state.known != nil else { continue }
            #expect(state.value == "a long list" && state.known?.source == .server)
            break
        }
        #expect(try lists.cached(7) == nil)
        try await lists.change(7, to: "own")
        while let state = await states.next(), state.value != "own" {}
    }

    // MARK: States

    @Test(
        "those who look see the cached value, the refresh, its failure with the age, and the answer"
    )
    func states() async throws {
        try await learn(7, "milk")
        clock.advance(by: .seconds(10))
        var states = lists.states(of: 7).makeAsyncIterator()
        let request = await server.next()
        var state = try #require(await states.next())
        while !state.isRefreshing { state = try #require(await states.next()) }
        #expect(state.value == "milk" && state.age == .seconds(10) && state.failure == nil)
        #expect(state.known?.source == .cache)
        clock.advance(by: .seconds(5))
        request.fail(RefreshFailure.offline)
        while state.isRefreshing { state = try #require(await states.next()) }
        #expect(state.value == "milk" && state.age == .seconds(15) && state.failure == .offline)
        await lists.networkReturned()
        let again = await server.next()
        again.answer("bread")
        while state.value == "milk" || state.isRefreshing {
            state = try #require(await states.next())
        }
        #expect(state.value == "bread" && state.age == Milliseconds(0) && state.failure == nil)
        #expect(state.known?.source == .server)
        // The failure is mended: nothing more is fetched for it.
        await lists.networkReturned()
        #expect(server.askedCount == 3)
    }

    @Test("a look without a refresh asks for nothing, and sees what others change")
    func quietStates() async throws {
        var states = lists.states(of: 7, refreshing: false).makeAsyncIterator()
        let first = try #require(await states.next())
        #expect(first.known == nil && !first.isRefreshing)
        #expect(server.askedCount == 0)
        let other = Self.repository(server, cache, clock)
        try await other.change(7, to: "mine")
        await lists.reload()
        let second = try #require(await states.next())
        #expect(second.value == "mine" && second.known?.hasPendingChanges == true)
    }

    @Test("the states end with the repository, and those who leave are forgotten")
    func statesEnd() async throws {
        var short: Lists? = Self.repository(server, cache, clock)
        var states = try #require(short).states(of: 7, refreshing: false).makeAsyncIterator()
        #expect(await states.next() != nil)
        short = nil
        while await states.next() != nil {}
        do {
            let stream = lists.states(of: 7, refreshing: false)
            for await _ in stream { break }
        }
        try await learn(7, "milk")
        #expect(try lists.cached(7)?.value == "milk")
    }
}

struct Odd: Error {}
