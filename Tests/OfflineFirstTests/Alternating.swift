import OfflineFirst
import OutboxCore
import Synchronization

/// Several objects over one cache, of which each call takes the next one, as processes do that share a
/// cache. Uses are stored after each call: those that another object has noted are not known.
final class Alternating: ValueCache {
    private let caches: [DiskCache]
    private let turn = Atomic(0)

    init(_ caches: [DiskCache]) {
        self.caches = caches
    }

    var limits: CacheLimits { caches[0].limits }

    private var next: DiskCache {
        let turn = turn.add(1, ordering: .relaxed).newValue
        return caches[turn % caches.count]
    }

    private func used<Result>(
        _ body: (DiskCache) throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
        let cache = next
        let result = try body(cache)
        try cache.saveUses()
        return result
    }

    func entry(for key: CacheKey) throws(CacheError) -> CacheEntry? {
        try used { cache throws(CacheError) in try cache.entry(for: key) }
    }

    func nextTicket() throws(CacheError) -> CacheTicket { try next.nextTicket() }

    func store(
        _ answers: [CacheAnswer],
        ticket: CacheTicket,
        at time: WallTime
    ) throws(CacheError) -> [CacheOutcome] {
        try used { cache throws(CacheError) in
            try cache.store(answers, ticket: ticket, at: time)
        }
    }

    func apply(_ changes: [CacheChange], at time: WallTime) throws(CacheError) {
        try used { cache throws(CacheError) in try cache.apply(changes, at: time) }
    }

    func settle(_ key: CacheKey) throws(CacheError) -> Bool {
        try used { cache throws(CacheError) in try cache.settle(key) }
    }

    func discard(_ key: CacheKey) throws(CacheError) -> Bool { try next.discard(key) }

    func removeAll(in place: String?) throws(CacheError) { try next.removeAll(in: place) }

    func localKeys(in place: String) throws(CacheError) -> [CacheKey] {
        try next.localKeys(in: place)
    }

    /// The numbers of both objects together.
    func counts() throws(CacheError) -> CacheCounts {
        var counts = try caches[0].counts()
        for cache in caches.dropFirst() {
            let other = try cache.counts()
            counts.hits += other.hits
            counts.misses += other.misses
            counts.unreadable += other.unreadable
            counts.evicted += other.evicted
        }
        return counts
    }

    func saveUses() throws(CacheError) {
        for cache in caches { try cache.saveUses() }
    }

    func close() {
        for cache in caches { cache.close() }
    }
}
