import Outbox
import OutboxCore

extension OfflineFirstRepository {
    // MARK: Changing

    /// Changes a value on this device. Shown at once, and durable on return. Answers to requests that
    /// began before are void.
    ///
    /// A change that is *pending* keeps the value as it is until ``settle(_:)`` or ``discard(_:)``: no
    /// answer overwrites it, and it is not evicted. To store the change and the operation that tells the
    /// server in one transaction, see ``DiskCache/seal(_:at:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value; `nil` deletes it.
    ///   - isPending: Whether the server is still to be told.
    /// - Throws: ``RepositoryError``; nothing has changed then.
    public func change(
        _ key: Key,
        to value: Value?,
        isPending: Bool = true
    ) throws(RepositoryError) {
        let change = try change(of: key, to: value, isPending: isPending)
        do {
            try cache.apply([change], at: clock.wallTime())
        } catch {
            throw .cache(error)
        }
        changed(key)
    }

    /// Makes a change for the cache, which the caller stores in a transaction of its own. Call
    /// ``changed(_:)`` after that.
    ///
    /// - Throws: ``RepositoryError/notEncodable``.
    public nonisolated func change(
        of key: Key,
        to value: Value?,
        isPending: Bool = true
    ) throws(RepositoryError) -> CacheChange {
        do {
            return CacheChange(
                key: try cacheKey(key),
                bytes: try value.map(values.encode),
                isPending: isPending
            )
        } catch {
            throw .notEncodable
        }
    }

    /// The name of a value in the cache, for a caller that settles or discards its changes in a
    /// transaction of its own.
    ///
    /// - Throws: ``RepositoryError/notEncodable``.
    public nonisolated func name(of key: Key) throws(RepositoryError) -> CacheKey {
        do {
            return try cacheKey(key)
        } catch {
            throw .notEncodable
        }
    }

    /// Tells that the caller has stored, settled or discarded a change of a value: shows it to all that
    /// look at it.
    public func changed(_ key: Key) {
        noteChange(of: key)
        valueObservers[key]?.unstored = nil
        for (name, observers) in collectionObservers where observers.unstored != nil {
            collectionObservers[name]?.unstored = nil
            ask(.collection(name))
        }
        emitChange(of: [key])
    }

    /// Tells that another process may have changed the cache: shows everything anew to all that look.
    public func reload() {
        for key in valueObservers.keys { emit(.value(key)) }
        for name in collectionObservers.keys { emit(.collection(name)) }
    }

    /// Settles one pending change of a value: the server has it. Refreshes the value if somebody looks at
    /// it.
    ///
    /// - Returns: `false` if the value has no pending change. That is no error.
    /// - Throws: ``RepositoryError``.
    @discardableResult
    public func settle(_ key: Key) throws(RepositoryError) -> Bool {
        try end(key) { name throws(CacheError) in try cache.settle(name) }
    }

    /// Gives a value up with its pending changes, for example after the server refused one and a person
    /// chose so. The value is unknown until a refresh, which begins if somebody looks at it.
    ///
    /// - Returns: `false` if nothing is cached. That is no error.
    /// - Throws: ``RepositoryError``.
    @discardableResult
    public func discard(_ key: Key) throws(RepositoryError) -> Bool {
        try end(key) { name throws(CacheError) in try cache.discard(name) }
    }

    private func end(
        _ key: Key,
        _ body: (CacheKey) throws(CacheError) -> Bool
    ) throws(RepositoryError) -> Bool {
        let name = try name(of: key)
        let hasEnded: Bool
        do {
            hasEnded = try body(name)
        } catch {
            throw .cache(error)
        }
        guard hasEnded else { return false }
        changed(key)
        if valueObservers[key] != nil { ask(.value(key)) }
        return true
    }

    // MARK: Looking

    /// The states of a value: the present one first, then each later one. A slow consumer misses states
    /// in between and gets the newest. The sequence ends with the repository.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - refreshing: Whether the value is refreshed when somebody begins to look.
    /// - Complexity: For each state, that of reading and decoding the value.
    public nonisolated func states(
        of key: Key,
        refreshing: Bool = true
    ) -> AsyncStream<RepositoryState<Value>> {
        let (stream, continuation) = AsyncStream<RepositoryState<Value>>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        Task { await self.observe(key, continuation, refreshing) }
        return stream
    }

    private func observe(
        _ key: Key,
        _ continuation: AsyncStream<RepositoryState<Value>>.Continuation,
        _ refreshing: Bool
    ) {
        let number = nextNumber()
        valueObservers[key, default: Observers()].continuations[number] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.leaveValue(key, number) }
        }
        emit(.value(key))
        if refreshing, valueObservers[key] != nil { ask(.value(key)) }
    }

    private func leaveValue(_ key: Key, _ number: UInt64) {
        valueObservers[key]?.continuations[number] = nil
        if valueObservers[key]?.continuations.isEmpty == true { valueObservers[key] = nil }
    }

    // MARK: Reading

    nonisolated func cacheKey(_ key: Key) throws -> CacheKey {
        CacheKey(place: name, bytes: try keys.encode(key))
    }

    /// Reads a value. One that this build cannot decode is a miss.
    ///
    /// - Parameter ticket: The ticket of an answer of just now.
    nonisolated func read(
        _ key: Key,
        answeredBy ticket: CacheTicket?
    ) throws(CacheError) -> KnownValue<Value>? {
        guard let name = try? cacheKey(key), let entry = try cache.entry(for: name) else {
            return nil
        }
        guard let value = decoded(entry) else { return nil }
        return KnownValue(
            value,
            writtenAt: entry.writtenAt,
            now: clock.wallTime(),
            source: source(of: entry, answeredBy: ticket),
            hasPendingChanges: entry.pendingChanges > 0
        )
    }

    /// - Returns: `nil` for bytes that this build cannot decode; a `nil` in it for a value that does not
    ///   exist.
    nonisolated func decoded(_ entry: CacheEntry) -> Value?? {
        guard let bytes = entry.bytes else { return .some(nil) }
        guard let value = try? values.decode(bytes) else { return nil }
        return .some(value)
    }

    nonisolated func source(
        of entry: CacheEntry,
        answeredBy ticket: CacheTicket?
    ) -> KnownSource {
        entry.source == .local ? .local : entry.ticket == ticket ? .server : .cache
    }

    /// A value that was answered and is not in the cache.
    nonisolated func justFetched<Content>(_ content: Content?) -> KnownValue<Content> {
        let now = clock.wallTime()
        return KnownValue(
            content,
            writtenAt: now,
            now: now,
            source: .server,
            hasPendingChanges: false
        )
    }

    // MARK: Keeping answers

    func note(_ failure: RefreshFailure, of target: Target) {
        switch target {
        case .value(let key): valueObservers[key]?.failure = failure
        case .collection(let name): collectionObservers[name]?.failure = failure
        }
    }

    /// Stores an answer, and shows it to all that look at one of its values but not at the target, which
    /// the caller shows.
    ///
    /// - Returns: The ticket under which the cache has this answer, or a later one; `nil` if the answer
    ///   could not be stored.
    func keep(
        _ fetched: Fetched,
        of target: Target,
        _ ticket: Result<CacheTicket, CacheError>
    ) -> CacheTicket? {
        var failure: RefreshFailure?
        var kept: CacheTicket?
        do {
            kept = try store(fetched, of: target, ticket)
        } catch {
            failure = error
        }
        switch (target, fetched) {
        case (.value(let key), .value(let value)):
            valueObservers[key]?.landed(justFetched(value), kept, failure) {
                () throws(CacheError) in try read(key, answeredBy: nil)
            }
            emitChange(of: [key], besides: target)
        case (.collection(let name), .items(let items)):
            let content = items.map {
                Item(key: $0.key, value: $0.value, hasPendingChanges: false)
            }
            collectionObservers[name]?.landed(justFetched(content), kept, failure) {
                () throws(CacheError) in try read(name, answeredBy: nil)
            }
            emitChange(of: items.map(\.key), besides: target)
        default: preconditionFailure("an answer to another question")
        }
        return kept
    }

    /// - Returns: As ``keep(_:of:_:)``.
    private func store(
        _ fetched: Fetched,
        of target: Target,
        _ ticket: Result<CacheTicket, CacheError>
    ) throws(RefreshFailure) -> CacheTicket? {
        let answers: [CacheAnswer]
        do {
            answers = try self.answers(fetched, of: target)
        } catch {
            throw .notEncodable
        }
        do throws(CacheError) {
            let ticket = try ticket.get()
            let outcomes = try cache.store(answers, ticket: ticket, at: clock.wallTime())
            return outcomes.last == .notKept ? nil : ticket
        } catch {
            throw .cache(error)
        }
    }

    private func answers(_ fetched: Fetched, of target: Target) throws -> [CacheAnswer] {
        switch (target, fetched) {
        case (.value(let key), .value(let value)):
            return [CacheAnswer(key: try cacheKey(key), bytes: try value.map(values.encode))]
        case (.collection(let name), .items(let items)):
            var answers: [CacheAnswer] = []
            for item in items {
                answers.append(
                    CacheAnswer(key: try cacheKey(item.key), bytes: try values.encode(item.value))
                )
            }
            // Last, so that its items go first when there is no room.
            let keys = Membership.encoded(answers.map(\.key.bytes))
            answers.append(CacheAnswer(key: cacheKey(name), bytes: keys))
            return answers
        default: preconditionFailure("an answer to another question")
        }
    }

    // MARK: Showing

    /// Shows a target to all that look at it.
    func emit(_ target: Target) {
        let isRefreshing = isRefreshing(target)
        switch target {
        case .value(let key):
            guard let observers = valueObservers[key] else { return }
            send(to: observers, isRefreshing) { () throws(CacheError) in
                try read(key, answeredBy: observers.ticket)
            }
        case .collection(let name):
            guard let observers = collectionObservers[name] else { return }
            send(to: observers, isRefreshing) { () throws(CacheError) in
                try read(name, answeredBy: observers.ticket)
            }
        }
    }

    /// Shows values, and all collections.
    func emitChange(of keys: [Key], besides target: Target? = nil) {
        if !valueObservers.isEmpty {
            for key in keys where target != .value(key) { emit(.value(key)) }
        }
        for name in collectionObservers.keys where target != .collection(name) {
            emit(.collection(name))
        }
    }

    private func send<Content>(
        to observers: Observers<Content>,
        _ isRefreshing: Bool,
        _ read: () throws(CacheError) -> KnownValue<Content>?
    ) {
        var (known, failure) = (observers.unstored, observers.failure)
        if known == nil {
            do throws(CacheError) {
                known = try read()
            } catch {
                failure = failure ?? .cache(error)
            }
        }
        let state = RepositoryState(known: known, isRefreshing: isRefreshing, failure: failure)
        for continuation in observers.continuations.values { continuation.yield(state) }
    }
}
