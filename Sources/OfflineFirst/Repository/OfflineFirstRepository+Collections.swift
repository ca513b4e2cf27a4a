import Outbox
import OutboxCore

// A collection is stored as the keys of its items, each of which is an entry of its own. It is shown
// with what this device changed since: a changed item as it is now, without those that were deleted or
// left the group, and with those that were made here.
extension OfflineFirstRepository {
    /// Gets a collection, in the server's order; items that were made on this device come last, in the
    /// order in which they were made.
    ///
    /// If nothing but items that this device made is known, they are the answer, with the source
    /// ``KnownSource/local``.
    ///
    /// - Parameters:
    ///   - name: All values, or a group of a declared index.
    ///   - policy: The way to get it.
    /// - Returns: The items with the age of the collection.
    /// - Throws: ``RepositoryError``.
    /// - Precondition: The index is declared.
    /// - Complexity: O(*n*) readings of the cache for *n* items.
    public func values(
        _ name: CollectionName = .all,
        _ policy: FetchPolicy = .cacheThenNetwork
    ) async throws(RepositoryError) -> KnownValue<[Item]> {
        try await look(.collection(name), policy) { ticket throws(CacheError) in
            try self.read(name, answeredBy: ticket)
        } fallback: { fetched in
            guard case .items(let items) = fetched else { return nil }
            return self.justFetched(
                items.map { Item(key: $0.key, value: $0.value, hasPendingChanges: false) }
            )
        }
    }

    /// Reads a cached collection at once, in synchronous code. Fetches nothing.
    ///
    /// - Returns: `nil` if the collection, or one of its items, is not cached.
    /// - Throws: ``RepositoryError/cache(_:)``.
    public nonisolated func cached(
        _ name: CollectionName
    ) throws(RepositoryError) -> KnownValue<[Item]>? {
        do {
            return try read(name, answeredBy: nil)
        } catch {
            throw .cache(error)
        }
    }

    /// Asks for a refresh of a collection in the background.
    public func refresh(_ name: CollectionName) { ask(.collection(name)) }

    /// The states of a collection: the present one first, then each later one. A slow consumer misses
    /// states in between and gets the newest. The sequence ends with the repository.
    ///
    /// - Parameters:
    ///   - name: All values, or a group of a declared index.
    ///   - refreshing: Whether the collection is refreshed when somebody begins to look.
    /// - Complexity: For each change of any value, O(*n*) readings of the cache for *n* items.
    public nonisolated func states(
        of name: CollectionName,
        refreshing: Bool = true
    ) -> AsyncStream<RepositoryState<[Item]>> {
        let (stream, continuation) = AsyncStream<RepositoryState<[Item]>>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        Task { await self.observe(name, continuation, refreshing) }
        return stream
    }

    private func observe(
        _ name: CollectionName,
        _ continuation: AsyncStream<RepositoryState<[Item]>>.Continuation,
        _ refreshing: Bool
    ) {
        let number = nextNumber()
        collectionObservers[name, default: Observers()].continuations[number] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.leaveCollection(name, number) }
        }
        emit(.collection(name))
        if refreshing, collectionObservers[name] != nil { ask(.collection(name)) }
    }

    private func leaveCollection(_ name: CollectionName, _ number: UInt64) {
        collectionObservers[name]?.continuations[number] = nil
        if collectionObservers[name]?.continuations.isEmpty == true {
            collectionObservers[name] = nil
        }
    }

    // MARK: Reading

    nonisolated func cacheKey(_ name: CollectionName) -> CacheKey {
        CacheKey(place: self.name + "*", bytes: name.bytes)
    }

    nonisolated func read(
        _ name: CollectionName,
        answeredBy ticket: CacheTicket?
    ) throws(CacheError) -> KnownValue<[Item]>? {
        let membership = try cache.entry(for: cacheKey(name))
        var items: [Item] = []
        var listed: Set<[UInt8]> = []
        if let membership {
            guard let bytes = membership.bytes, let keys = Membership.keys(bytes) else {
                return nil
            }
            for key in keys {
                let entryName = CacheKey(place: self.name, bytes: key)
                guard let entry = try cache.entry(for: entryName) else { return nil }
                guard let value = decoded(entry) else { return nil }
                listed.insert(key)
                if let item = item(key, entry, value, in: name) { items.append(item) }
            }
        }
        var latest: WallTime?
        for key in try cache.localKeys(in: self.name) where !listed.contains(key.bytes) {
            guard let entry = try cache.entry(for: key), let value = decoded(entry),
                entry.pendingChanges > 0 || membership.map({ $0.ticket < entry.ticket }) ?? true,
                let item = item(key.bytes, entry, value, in: name)
            else { continue }
            items.append(item)
            latest = max(latest ?? entry.writtenAt, entry.writtenAt)
        }
        guard let writtenAt = membership?.writtenAt ?? latest else { return nil }
        return KnownValue(
            items,
            writtenAt: writtenAt,
            now: clock.wallTime(),
            source: membership.map { source(of: $0, answeredBy: ticket) } ?? .local,
            hasPendingChanges: items.contains(where: \.hasPendingChanges)
        )
    }

    /// - Returns: `nil` for a value that does not exist, or is not in the collection.
    private nonisolated func item(
        _ key: [UInt8],
        _ entry: CacheEntry,
        _ value: Value?,
        in name: CollectionName
    ) -> Item? {
        guard let value, contains(value, name), let key = try? keys.decode(key) else { return nil }
        return Item(key: key, value: value, hasPendingChanges: entry.pendingChanges > 0)
    }

    private nonisolated func contains(_ value: Value, _ name: CollectionName) -> Bool {
        guard let index = name.index else { return true }
        guard let declared = indexes[index] else {
            preconditionFailure("there is no index \(index)")
        }
        return declared.group(value) == name.value
    }
}
