public import Outbox
public import OutboxCore
import Synchronization

/// The simplest implementation of ``/Outbox/OutboxStorage``. It keeps its entries in memory: they
/// are lost when the process ends.
public final class MemoryStorage: OutboxStorage {
    struct Content: Sendable {
        var entries: [Int64: StoredEntry] = [:]
        var nextEntry: Int64 = 1
        var isUsed = false
        var isClosed = false
    }

    private final class Claim: DrainClaim {}

    private struct Holder: Sendable {
        weak let claim: Claim?
    }

    private let content: Mutex<Content>
    private let holder = Mutex(Holder(claim: nil))

    /// Makes an empty storage.
    public convenience init() {
        self.init(Content())
    }

    private init(_ content: Content) {
        self.content = Mutex(content)
    }

    /// Another storage with the same entries, as a process that starts at this moment would find
    /// them.
    package func copy() -> MemoryStorage {
        var content = content.withLock { $0 }
        content.isClosed = false
        return MemoryStorage(content)
    }

    public func insert(_ operations: [SealedOperation]) throws {
        try open { content in
            let ids = operations.map(\.envelope.id)
            let taken = Set(content.entries.values.compactMap(\.operationID))
            guard Set(ids).count == ids.count, taken.isDisjoint(with: ids) else {
                throw StorageError.duplicate
            }
            for operation in operations {
                content.entries[content.nextEntry] = StoredEntry(
                    id: EntryID(rawValue: content.nextEntry),
                    operationID: operation.envelope.id,
                    state: .queued,
                    envelope: operation.envelope.encoded(),
                    record: operation.record,
                    quarantineReason: nil
                )
                content.nextEntry += 1
            }
        }
    }

    public func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try open { content in
            let queued = content.attemptable.compactMap { entry in
                entry.operationID.map { (due: Self.due(entry), id: $0, entry: entry) }
            }
            let eligible = queued.filter { $0.due <= now }.sorted {
                $0.due != $1.due ? $0.due < $1.due : $0.id < $1.id
            }
            let next = queued.map(\.due).filter { $0 > now }.min()
            return EligibleRecords(
                entries: eligible.prefix(limit).map(\.entry),
                nextEligibleAt: eligible.count < limit ? next : nil
            )
        }
    }

    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try open { content in
            var gone: [Unsettled] = []
            for settlement in settlements {
                guard let entry = content.entries[settlement.entry.rawValue],
                    entry.operationID == settlement.id
                else {
                    gone.append(Unsettled(settlement.entry, .gone))
                    continue
                }
                switch settlement.transition {
                case .remove:
                    content.entries[entry.id.rawValue] = nil
                case .reschedule(let envelope):
                    content.replace(entry, state: .queued, envelope: envelope)
                case .park(let envelope):
                    content.replace(entry, state: .parked, envelope: envelope)
                }
            }
            return gone
        }
    }

    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try open { content in
            guard let entry = content.entries[id.rawValue] else { return }
            content.entries[id.rawValue] = StoredEntry(
                id: id,
                operationID: entry.operationID,
                state: .quarantined,
                envelope: envelope?.encoded() ?? entry.envelope,
                record: entry.record,
                quarantineReason: reason
            )
        }
    }

    public func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try open { content in
            let first = last?.rawValue ?? 0
            let listed = content.entries.values.filter { entry in
                entry.state == state && entry.id.rawValue > first
            }
            return Array(listed.sorted { $0.id.rawValue < $1.id.rawValue }.prefix(limit))
        }
    }

    public func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try open { content in
            let waiting = content.entries.values.filter { entry in
                entry.state == .queued && Self.cause(entry) == cause && Self.due(entry) > moment
            }
            return Array(waiting.sorted { Self.due($0) > Self.due($1) }.prefix(limit))
        }
    }

    public func entry(for id: OperationID) throws -> StoredEntry? {
        try open { $0.entries.values.first { $0.operationID == id } }
    }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try open { content in
            guard let entry = content.entries[id.rawValue] else { return }
            content.replace(entry, state: .queued, envelope: envelope)
        }
    }

    public func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try open { content in
            guard let entry = content.entries[id.rawValue], entry.record == old else {
                return false
            }
            content.entries[id.rawValue] = StoredEntry(
                id: id,
                operationID: entry.operationID,
                state: entry.state,
                envelope: entry.envelope,
                record: new,
                quarantineReason: entry.quarantineReason
            )
            return true
        }
    }

    public func endWaits(for cause: WaitCause) throws {
        try open { content in
            for entry in content.entries.values
            where entry.state == .queued && Self.cause(entry) == cause {
                guard let envelope = try? Envelope(decoding: entry.envelope) else { continue }
                content.replace(entry, state: .queued, envelope: envelope.madeEligible())
            }
        }
    }

    public func delete(_ id: EntryID) throws {
        try open { $0.entries[id.rawValue] = nil }
    }

    public func counts() throws -> OutboxCounts {
        try open { content in
            var counts = OutboxCounts()
            for entry in content.entries.values {
                switch entry.state {
                case .queued: counts.queued += 1
                case .parked: counts.parked += 1
                case .quarantined: counts.quarantined += 1
                }
            }
            return counts
        }
    }

    public func isUnused() throws -> Bool { try open { !$0.isUsed } }

    public func markUsed() throws { try open { $0.isUsed = true } }

    public func damage(checkingUpTo limit: Int) throws -> [StorageDamage] {
        try open { _ in [] }
    }

    public func claimDrain() throws -> (any DrainClaim)? {
        try open { _ in }
        return holder.withLock { holder in
            guard holder.claim == nil else { return nil }
            let claim = Claim()
            holder = Holder(claim: claim)
            return claim
        }
    }

    /// Closes the storage: every other method throws afterwards. The entries last as long as this
    /// object.
    public func close() {
        content.withLock { $0.isClosed = true }
    }

    private func open<Result>(_ body: (inout Content) throws -> Result) throws -> Result {
        try content.withLock { content in
            guard !content.isClosed else { throw StorageError.closed }
            return try body(&content)
        }
    }

    private static func due(_ entry: StoredEntry) -> WallTime {
        (try? Envelope(decoding: entry.envelope))?.nextEligibleAt ?? .distantPast
    }

    private static func cause(_ entry: StoredEntry) -> WaitCause? {
        (try? Envelope(decoding: entry.envelope))?.waitCause
    }
}

extension MemoryStorage.Content {
    /// The queued entries that are not behind another entry in their lane.
    fileprivate var attemptable: [StoredEntry] {
        var lanesWithFront: Set<OrderingKey> = []
        return entries.values.sorted { $0.id.rawValue < $1.id.rawValue }.filter { entry in
            guard let envelope = try? Envelope(decoding: entry.envelope),
                envelope.id == entry.operationID, envelope.orderingKey != nil
            else { return entry.state == .queued }
            guard let lane = envelope.lane(whenIn: entry.state) else { return false }
            let isFront = lanesWithFront.insert(lane).inserted
            return isFront && entry.state == .queued
        }
    }

    fileprivate mutating func replace(
        _ entry: StoredEntry,
        state: OperationState,
        envelope: Envelope
    ) {
        entries[entry.id.rawValue] = StoredEntry(
            id: entry.id,
            operationID: entry.operationID,
            state: state,
            envelope: envelope.encoded(),
            record: entry.record,
            quarantineReason: nil
        )
    }
}
