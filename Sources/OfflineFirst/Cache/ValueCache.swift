public import OutboxCore

/// A store of values that a server owns: bounded, and ordered by tickets. Any thread may call every
/// method.
///
/// Every cache must pass `CacheConformance` in `OfflineFirstTesting`, which tests this contract. Each
/// call changes everything that it says, or nothing. Several processes may share a cache, if its
/// documentation says so.
///
/// ## Tickets
/// ``nextTicket()`` gives a request its number when the request begins. An entry has the ticket of the
/// request or the local change that wrote it. An answer is stored over an entry only if the entry has no
/// pending changes and a lower ticket; and where there is no entry, only if its ticket is greater than
/// the tickets of all entries that were evicted, removed or discarded. So answers are ordered by the
/// begin of their requests, whatever the order of their arrival, and a local change makes every request
/// void that is under way.
///
/// ## Room
/// When the entries exceed the limits, the least recently used ones without pending changes go. A read
/// that finds an entry is a use, and so is a write.
public protocol ValueCache: Sendable {
    /// The bounds of this cache.
    var limits: CacheLimits { get }

    /// Looks a value up.
    ///
    /// - Returns: `nil` if there is no entry, or none that can be read.
    /// - Throws: ``CacheError``.
    /// - Complexity: O(log *n*) for *n* entries, and O(bytes of the value).
    func entry(for key: CacheKey) throws(CacheError) -> CacheEntry?

    /// Takes the ticket of a request that begins now.
    ///
    /// - Throws: ``CacheError``.
    func nextTicket() throws(CacheError) -> CacheTicket

    /// Stores the answers to one request, in one step.
    ///
    /// - Parameters:
    ///   - answers: The answers. Of two with one name the first counts.
    ///   - ticket: The ticket that the request took when it began.
    ///   - time: The wall clock.
    /// - Returns: The fate of each answer, in their order. A void answer is no error.
    /// - Throws: ``CacheError``.
    /// - Complexity: O(*a* log *n*) for *a* answers and *n* entries, with the entries that make room.
    @discardableResult
    func store(
        _ answers: [CacheAnswer],
        ticket: CacheTicket,
        at time: WallTime
    ) throws(CacheError) -> [CacheOutcome]

    /// Stores local changes in one step, durably where the cache is durable. Makes every request void
    /// that has begun. Pending changes are stored whatever the limits of entries and bytes are.
    ///
    /// - Parameters:
    ///   - changes: The changes, in their order.
    ///   - time: The wall clock.
    /// - Throws: ``CacheError``.
    func apply(_ changes: [CacheChange], at time: WallTime) throws(CacheError)

    /// Settles one pending change of a value: the server has it. The entry takes answers to requests
    /// that begin from now on, if this was its last pending change.
    ///
    /// - Returns: `false` if the value has no pending change. That is no error.
    /// - Throws: ``CacheError``.
    @discardableResult
    func settle(_ key: CacheKey) throws(CacheError) -> Bool

    /// Removes an entry with its pending changes, whose server's value the cache does not know.
    ///
    /// - Returns: `false` if there is no entry. That is no error.
    /// - Throws: ``CacheError``.
    @discardableResult
    func discard(_ key: CacheKey) throws(CacheError) -> Bool

    /// Removes all entries of a place that have no pending changes, and makes every request void that
    /// has begun.
    ///
    /// - Parameter place: The place; `nil` for all places.
    /// - Throws: ``CacheError``.
    /// - Complexity: O(*n*) for *n* entries.
    func removeAll(in place: String?) throws(CacheError)

    /// Lists the names of the values of a place that this device wrote last, by their tickets.
    ///
    /// - Throws: ``CacheError``.
    /// - Complexity: O(answer).
    func localKeys(in place: String) throws(CacheError) -> [CacheKey]

    /// Counts.
    ///
    /// - Throws: ``CacheError``.
    /// - Complexity: O(entries that this device wrote last).
    func counts() throws(CacheError) -> CacheCounts

    /// Stores the order of uses that this object has noted since it last stored them. A cache that is
    /// never told this forgets the latest uses with its process, and no value. An app calls this when
    /// it goes into the background.
    ///
    /// - Throws: ``CacheError``.
    func saveUses() throws(CacheError)

    /// Closes this object: waits for running calls. Afterwards every other method throws
    /// `CacheError.storage(.closed)` and changes nothing. A second call is no error.
    func close()
}
