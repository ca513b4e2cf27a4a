public import Outbox
import OutboxCore

/// An app's values that a server owns, shown at once from a cache and refreshed in the background.
///
/// ```swift
/// let lists = OfflineFirstRepository(
///     "lists", in: cache, keys: .text, values: .json,
///     fetch: { id in try await api.list(id) },
///     fetchCollection: { _ in try await api.lists() })
///
/// let list = try await lists.value(for: 7).value
/// for await state in lists.states(of: 7) { show(state.value, age: state.age, state.isRefreshing) }
/// try await lists.change(7, to: changed)
/// ```
///
/// ## Guarantees
/// - At most one fetch of a key, or of a collection, is under way in this object, however many ask.
/// - Answers are ordered by the begin of their requests, in all processes that share the cache: an
///   answer never overwrites the answer to a later request.
/// - A local change makes the answers to all earlier requests void. While it is pending, no answer
///   overwrites it.
/// - A failed refresh keeps the value, and tells its age and the reason.
/// - Nothing is in memory but what is being asked for: each state is read from the cache.
///
/// A change by another process is seen with the next reading, not told: see ``reload()``.
///
/// Two repositories over one cache have two names, unless they are two objects of one repository.
public actor OfflineFirstRepository<Key: Hashable & Sendable, Value: Sendable> {
    /// An item of a collection.
    public typealias Item = RepositoryItem<Key, Value>

    /// What is fetched at once.
    enum Target: Hashable, Sendable {
        case value(Key)
        case collection(CollectionName)
    }

    /// What the server answered.
    enum Fetched: Sendable {
        case value(Value?)
        case items([(key: Key, value: Value)])
    }

    /// The end of a flight, as those who wait for it are told.
    enum Landing: Sendable {
        case answered(Fetched, CacheTicket?)
        case failed(RefreshFailure)
        case cancelled
    }

    /// Those who look at a target.
    struct Observers<Content: Sendable> {
        var continuations: [UInt64: AsyncStream<RepositoryState<Content>>.Continuation] = [:]
        /// The ticket of the last answer that this object stored.
        var ticket: CacheTicket?
        var failure: RefreshFailure?
        /// The last answer, if the cache has neither it nor a later one.
        var unstored: KnownValue<Content>?

        /// Notes an answer.
        ///
        /// - Parameters:
        ///   - answer: The answer.
        ///   - kept: The ticket under which the cache has the answer, or a later one.
        ///   - failure: The reason for which it could not be stored.
        ///   - read: Reads what the cache has.
        mutating func landed(
            _ answer: KnownValue<Content>,
            _ kept: CacheTicket?,
            _ failure: RefreshFailure?,
            read: () throws(CacheError) -> KnownValue<Content>?
        ) {
            ticket = kept
            self.failure = failure
            // A cache that is too small may have evicted a part of it already.
            let isKept = kept != nil && (try? read()) != nil
            unstored = isKept ? nil : answer
        }
    }

    /// The settings.
    public nonisolated let settings: RepositorySettings
    /// The cache that holds the values.
    public nonisolated let cache: any ValueCache

    nonisolated let name: String
    nonisolated let keys: ByteCoding<Key>
    nonisolated let values: ByteCoding<Value>
    nonisolated let indexes: [String: CollectionIndex<Value>]
    nonisolated let clock: OutboxClock
    private nonisolated let executor: QueueExecutor
    private nonisolated let fetch: @Sendable (Key) async throws -> Value?
    private nonisolated let fetchCollection:
        (@Sendable (CollectionName) async throws -> [(key: Key, value: Value)])?

    private var machine: RefreshMachine<Target>
    private var flights: [UInt64: [Task<Void, Never>]] = [:]
    private var waiters: [Target: [UInt64: CheckedContinuation<Landing, Never>]] = [:]
    var valueObservers: [Key: Observers<Value>] = [:]
    var collectionObservers: [CollectionName: Observers<[Item]>] = [:]
    private var lastNumber: UInt64 = 0

    /// The actor waits for the disk on a queue of its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Makes a repository. Reads and fetches nothing.
    ///
    /// - Parameters:
    ///   - name: The name of the repository in the cache, 1 to 200 bytes, without `*`. Not sealed.
    ///   - cache: The cache.
    ///   - keys: The stored form of keys: different keys have different bytes, at most
    ///     ``CacheKey/maximumBytes``. Not sealed.
    ///   - values: The stored form of values.
    ///   - indexes: The indexes by which collections can be asked for.
    ///   - settings: The settings.
    ///   - clock: The source of time.
    ///   - fetch: A function that fetches a value; `nil` if the server says that there is none. It throws
    ///     a ``RefreshFailure``, or any error. Its task is cancelled when its time is over.
    ///   - fetchCollection: A function that fetches a collection, in its order, each key once. `nil` if
    ///     the server has no collections.
    public init(
        _ name: String,
        in cache: any ValueCache,
        keys: ByteCoding<Key>,
        values: ByteCoding<Value>,
        indexes: [CollectionIndex<Value>] = [],
        settings: RepositorySettings = RepositorySettings(),
        clock: OutboxClock = .system,
        fetch: @escaping @Sendable (Key) async throws -> Value?,
        fetchCollection: (
            @Sendable (CollectionName) async throws -> [(key: Key, value: Value)]
        )? = nil
    ) {
        precondition(
            (1...200).contains(name.utf8.count) && !name.utf8.contains(0x2A),
            "a repository's name has 1 to 200 bytes and no asterisk"
        )
        self.name = name
        self.cache = cache
        self.keys = keys
        self.values = values
        self.indexes = Dictionary(indexes.map { ($0.name, $0) }) { _, _ in
            preconditionFailure("two indexes have one name")
        }
        self.settings = settings
        self.clock = clock
        self.fetch = fetch
        self.fetchCollection = fetchCollection
        executor = QueueExecutor(label: "offline-first.\(name)")
        machine = RefreshMachine(maximumFlights: settings.maximumFlights)
    }

    deinit {
        for observers in valueObservers.values {
            for continuation in observers.continuations.values { continuation.finish() }
        }
        for observers in collectionObservers.values {
            for continuation in observers.continuations.values { continuation.finish() }
        }
    }

    // MARK: Asking

    /// Gets a value.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - policy: The way to get it.
    /// - Returns: The value with its age; a ``KnownValue/value`` that is `nil` is known not to exist,
    ///   which is no error. A value with pending changes is given as it is here, also by
    ///   ``FetchPolicy/networkOnly(timeLimit:)``.
    /// - Throws: ``RepositoryError``.
    /// - Complexity: That of the cache and of decoding.
    public func value(
        for key: Key,
        _ policy: FetchPolicy = .cacheThenNetwork
    ) async throws(RepositoryError) -> KnownValue<Value> {
        try await look(.value(key), policy) { ticket throws(CacheError) in
            try self.read(key, answeredBy: ticket)
        } fallback: { fetched in
            guard case .value(let value) = fetched else { return nil }
            return self.justFetched(value)
        }
    }

    /// Reads the cached value at once, in synchronous code. Fetches nothing.
    ///
    /// - Returns: `nil` if nothing is cached.
    /// - Throws: ``RepositoryError/cache(_:)``.
    public nonisolated func cached(_ key: Key) throws(RepositoryError) -> KnownValue<Value>? {
        do {
            return try read(key, answeredBy: nil)
        } catch {
            throw .cache(error)
        }
    }

    /// Asks for a refresh in the background.
    public func refresh(_ key: Key) { ask(.value(key)) }

    /// Tells that the network is back: refreshes what somebody looks at and could not be refreshed.
    public func networkReturned() {
        for (key, observers) in valueObservers where observers.failure != nil { ask(.value(key)) }
        for (name, observers) in collectionObservers where observers.failure != nil {
            ask(.collection(name))
        }
    }

    func look<Content>(
        _ target: Target,
        _ policy: FetchPolicy,
        read: (CacheTicket?) throws(CacheError) -> KnownValue<Content>?,
        fallback: (Fetched) -> KnownValue<Content>?
    ) async throws(RepositoryError) -> KnownValue<Content> {
        var cacheError: CacheError?
        var limit: Milliseconds?
        switch policy {
        case .networkOnly(let timeLimit): limit = timeLimit
        case .cacheThenNetwork, .cacheOnly:
            do throws(CacheError) {
                if let known = try read(nil) {
                    if policy == .cacheThenNetwork, isStale(known) { ask(target) }
                    return known
                }
            } catch {
                cacheError = error
            }
            guard policy == .cacheThenNetwork else {
                throw cacheError.map { .cache($0) } ?? .notCached
            }
        }
        switch await landing(of: target, within: limit) {
        case .cancelled: throw .cancelled
        case .failed(let failure):
            if limit == nil {
                // A local change, or another process, may have come meanwhile.
                if let known = try? read(nil) { return known }
                if let cacheError { throw .cache(cacheError) }
            }
            throw .unavailable(failure)
        case .answered(let fetched, let ticket):
            if let ticket, let known = try? read(ticket) { return known }
            guard let known = fallback(fetched) else { throw .unavailable(.notEncodable) }
            return known
        }
    }

    /// Whether a value is to be refreshed. A time in the future says that the clock was set back.
    private func isStale(_ known: KnownValue<some Sendable>) -> Bool {
        guard !known.hasPendingChanges else { return false }
        let age = clock.wallTime().since(known.writtenAt)
        return age < Milliseconds(0) || settings.freshness <= age
    }

    // MARK: Flights

    func ask(_ target: Target) {
        perform(machine.asked(target))
        emit(target)
    }

    /// Notes a local change, which voids the flight of its key.
    func noteChange(of key: Key) {
        machine.changed(.value(key))
    }

    func isRefreshing(_ target: Target) -> Bool { machine.isRefreshing(target) }

    private func perform(_ starts: [RefreshMachine<Target>.Start]) {
        for start in starts { begin(start) }
    }

    private func begin(_ start: RefreshMachine<Target>.Start) {
        // Before the request begins.
        let ticket: Result<CacheTicket, CacheError> = Result { () throws(CacheError) in
            try cache.nextTicket()
        }
        let flight = Task {
            let answer = await self.fetched(start.target)
            self.end(start, ticket, answer)
        }
        let timer = Task { [clock, settings] in
            await clock.sleep(settings.flightLimit)
            if !Task.isCancelled { self.end(start, ticket, .failure(.timedOut)) }
        }
        flights[start.number] = [flight, timer]
        emit(start.target)
    }

    private nonisolated func fetched(
        _ target: Target
    ) async -> Result<Fetched, RefreshFailure> {
        do {
            switch target {
            case .value(let key): return .success(.value(try await fetch(key)))
            case .collection(let name):
                guard let fetchCollection else {
                    preconditionFailure("this repository fetches no collections")
                }
                return .success(.items(try await fetchCollection(name)))
            }
        } catch let failure as RefreshFailure {
            return .failure(failure)
        } catch {
            return .failure(.failed(type: String(reflecting: type(of: error))))
        }
    }

    private func end(
        _ start: RefreshMachine<Target>.Start,
        _ ticket: Result<CacheTicket, CacheError>,
        _ answer: Result<Fetched, RefreshFailure>
    ) {
        // An end of a flight that was given up is ignored.
        guard let tasks = flights.removeValue(forKey: start.number) else { return }
        for task in tasks { task.cancel() }
        let landing: Landing
        switch answer {
        case .failure(let failure):
            note(failure, of: start.target)
            landing = .failed(failure)
        case .success(let fetched):
            landing = .answered(fetched, keep(fetched, of: start.target, ticket))
        }
        let target = start.target
        switch machine.ended(start, isWanted: isWatched(target) && !hasPendingChanges(target)) {
        case .again(let starts)?:
            perform(starts)
            emit(start.target)
        case .over(let starts)?:
            let waiting = waiters.removeValue(forKey: start.target) ?? [:]
            for waiter in waiting.values { waiter.resume(returning: landing) }
            emit(start.target)
            perform(starts)
        case nil: preconditionFailure("a flight of the shell is one of the machine")
        }
    }

    private func isWatched(_ target: Target) -> Bool {
        if waiters[target]?.isEmpty == false { return true }
        return switch target {
        case .value(let key): valueObservers[key] != nil
        case .collection(let name): collectionObservers[name] != nil
        }
    }

    /// While a value has pending changes another flight would be void, too.
    private func hasPendingChanges(_ target: Target) -> Bool {
        guard case .value(let key) = target, let name = try? cacheKey(key),
            let entry = try? cache.entry(for: name)
        else { return false }
        return entry.pendingChanges > 0
    }

    /// Waits for the end of a target's flight, which begins if none is under way.
    private func landing(of target: Target, within limit: Milliseconds?) async -> Landing {
        lastNumber += 1
        let number = lastNumber
        let timer = limit.map { limit in
            Task { [clock] in
                await clock.sleep(limit)
                if !Task.isCancelled { self.leave(target, number, .failed(.timedOut)) }
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                waiters[target, default: [:]][number] = waiter
                ask(target)
            }
        } onCancel: {
            Task { await self.leave(target, number, .cancelled) }
        }
    }

    private func leave(_ target: Target, _ number: UInt64, _ landing: Landing) {
        waiters[target]?.removeValue(forKey: number)?.resume(returning: landing)
        if waiters[target]?.isEmpty == true { waiters[target] = nil }
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
