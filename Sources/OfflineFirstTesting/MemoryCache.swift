public import OfflineFirst
import Outbox
public import OutboxCore
import Synchronization

/// A cache in memory, for tests and previews: the contract of ``/OfflineFirst/ValueCache`` in its
/// simplest form. It forgets everything with its object.
///
/// - Complexity: A call that makes room, lists or removes is O(*n*) for *n* entries.
public final class MemoryCache: ValueCache {
    fileprivate struct Held {
        var entry: CacheEntry
        var bytes: Int
        var used: Int64
    }

    fileprivate struct State {
        var entries: [CacheKey: Held] = [:]
        var ticket: Int64 = 0
        var use: Int64 = 0
        var floor: Int64 = 0
        var counts = CacheCounts()
        var isClosed = false
        var failure: CacheError?
    }

    public let limits: CacheLimits
    private let state = Mutex(State())

    /// Makes an empty cache.
    public init(limits: CacheLimits = CacheLimits()) {
        self.limits = limits
    }

    /// Makes every call fail with `failure`; `nil` lets calls succeed again.
    public func fail(with failure: CacheError?) {
        state.withLock { $0.failure = failure }
    }

    public func entry(for key: CacheKey) throws(CacheError) -> CacheEntry? {
        try check(key)
        return try with { state -> CacheEntry? in
            guard var held = state.entries[key] else {
                state.counts.misses += 1
                return nil
            }
            held.used = state.nextUse()
            state.entries[key] = held
            state.counts.hits += 1
            return held.entry
        }
    }

    public func nextTicket() throws(CacheError) -> CacheTicket {
        try with { $0.nextTicket() }
    }

    @discardableResult
    public func store(
        _ answers: [CacheAnswer],
        ticket: CacheTicket,
        at time: WallTime
    ) throws(CacheError) -> [CacheOutcome] {
        for answer in answers { try check(answer.key) }
        return try with { state in
            var outcomes: [CacheOutcome] = []
            for answer in answers {
                let old = state.entries[answer.key]?.entry
                let before = old?.ticket.rawValue ?? state.floor
                guard old?.pendingChanges ?? 0 == 0, before < ticket.rawValue else {
                    outcomes.append(.superseded)
                    continue
                }
                guard answer.bytes?.count ?? 0 <= limits.value else {
                    outcomes.append(.notKept)
                    continue
                }
                let entry = CacheEntry(
                    bytes: answer.bytes,
                    writtenAt: time,
                    source: .server,
                    ticket: ticket,
                    pendingChanges: 0
                )
                state.write(entry, for: answer.key)
                outcomes.append(.stored)
            }
            state.makeRoom(limits)
            return zip(answers, outcomes).map { answer, outcome in
                outcome == .stored && state.entries[answer.key] == nil ? .notKept : outcome
            }
        }
    }

    public func apply(_ changes: [CacheChange], at time: WallTime) throws(CacheError) {
        for change in changes {
            try check(change.key)
            guard change.bytes?.count ?? 0 <= limits.value else {
                throw .tooLarge(limit: limits.value)
            }
        }
        try with { state in
            for change in changes {
                let pending = state.entries[change.key]?.entry.pendingChanges ?? 0
                let entry = CacheEntry(
                    bytes: change.bytes,
                    writtenAt: time,
                    source: .local,
                    ticket: state.nextTicket(),
                    pendingChanges: pending + (change.isPending ? 1 : 0)
                )
                state.write(entry, for: change.key)
            }
            state.makeRoom(limits)
        }
    }

    @discardableResult
    public func settle(_ key: CacheKey) throws(CacheError) -> Bool {
        try with { state in
            guard let old = state.entries[key]?.entry, old.pendingChanges > 0 else { return false }
            let entry = CacheEntry(
                bytes: old.bytes,
                writtenAt: old.writtenAt,
                source: old.source,
                ticket: state.nextTicket(),
                pendingChanges: old.pendingChanges - 1
            )
            state.write(entry, for: key)
            state.makeRoom(limits)
            return true
        }
    }

    @discardableResult
    public func discard(_ key: CacheKey) throws(CacheError) -> Bool {
        try with { state in
            guard state.entries.removeValue(forKey: key) != nil else { return false }
            state.floor = state.nextTicket().rawValue
            return true
        }
    }

    public func removeAll(in place: String?) throws(CacheError) {
        try with { state in
            state.floor = state.nextTicket().rawValue
            state.entries = state.entries.filter { key, held in
                held.entry.pendingChanges > 0 || place.map { $0 != key.place } ?? false
            }
        }
    }

    public func localKeys(in place: String) throws(CacheError) -> [CacheKey] {
        try with { state in
            state.entries.filter { $0.key.place == place && $0.value.entry.source == .local }
                .sorted { $0.value.entry.ticket < $1.value.entry.ticket }.map(\.key)
        }
    }

    public func counts() throws(CacheError) -> CacheCounts {
        try with { state in
            var counts = state.counts
            counts.entries = state.entries.count
            counts.bytes = state.bytes
            counts.pending = state.entries.values.count { $0.entry.pendingChanges > 0 }
            return counts
        }
    }

    public func saveUses() throws(CacheError) {
        try with { _ in }
    }

    public func close() {
        state.withLock { $0.isClosed = true }
    }

    private func check(_ key: CacheKey) throws(CacheError) {
        guard key.isValid else { throw .invalidKey }
    }

    private func with<Result: Sendable>(
        _ body: (inout State) -> Result
    ) throws(CacheError) -> Result {
        try state.withLock { state throws(CacheError) -> Result in
            if state.isClosed { throw .storage(.closed) }
            if let failure = state.failure { throw failure }
            return body(&state)
        }
    }
}

extension MemoryCache.State {
    fileprivate var bytes: Int { entries.values.reduce(0) { $0 + $1.bytes } }

    fileprivate mutating func nextTicket() -> CacheTicket {
        ticket += 1
        return CacheTicket(rawValue: ticket)
    }

    fileprivate mutating func nextUse() -> Int64 {
        use += 1
        return use
    }

    fileprivate mutating func write(_ entry: CacheEntry, for key: CacheKey) {
        let name = key.place.utf8.count + key.bytes.count
        let bytes = (entry.bytes?.count ?? 0) + name + CacheLimits.overhead
        entries[key] = .init(entry: entry, bytes: bytes, used: nextUse())
    }

    fileprivate mutating func makeRoom(_ limits: CacheLimits) {
        while entries.count > limits.entries || bytes > limits.bytes {
            let coldest = entries.filter { $0.value.entry.pendingChanges == 0 }
                .min { $0.value.used < $1.value.used }
            guard let coldest else { return }
            entries[coldest.key] = nil
            floor = max(floor, coldest.value.entry.ticket.rawValue)
            counts.evicted += 1
        }
    }
}
