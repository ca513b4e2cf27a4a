import Outbox
import OutboxCore
import OutboxSQLite

/// The storage of one process, which is given up when the process dies.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class DeviceStorage: OutboxStorage, @unchecked Sendable {
    private final class Claim: DrainClaim, @unchecked Sendable {
        var base: (any DrainClaim)?

        init(_ base: any DrainClaim) { self.base = base }
    }

    private let base: any OutboxStorage
    private let whenDead: () -> Void
    private unowned let process: NativeProcess?
    private let disk: DatabaseDisk?
    private weak var claim: Claim?

    /// - Parameter whenDead: The system's way with the files of a dead process.
    init(_ base: any OutboxStorage, whenDead: @escaping () -> Void) {
        self.base = base
        self.whenDead = whenDead
        process = nil
        disk = nil
    }

    init(_ base: SQLiteStorage, _ process: NativeProcess, _ disk: DatabaseDisk) {
        self.base = base
        self.process = process
        self.disk = disk
        whenDead = {}
    }

    /// Gives up every file and lock, as the system does when a process dies; in the middle of a
    /// call, as soon as that ends.
    func die() {
        whenDead()
        claim?.base = nil
        guard let disk, let process, !disk.isCalled(by: process) else { return }
        close()
    }

    func close() {
        guard let disk else { return base.close() }
        disk.call(of: nil) { base.close() }
    }

    func claimDrain() throws -> (any DrainClaim)? {
        guard disk != nil else { return try base.claimDrain() }
        let base = try call { try $0.claimDrain() }
        let claim = base.map(Claim.init)
        self.claim = claim
        return claim
    }

    func insert(_ operations: [SealedOperation]) throws {
        try call { try $0.insert(operations) }
    }

    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try call { try $0.eligible(at: now, limit: limit) }
    }

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try call { try $0.settle(settlements) }
    }

    func quarantine(_ id: EntryID, reason: QuarantineReason, as envelope: Envelope?) throws {
        try call { try $0.quarantine(id, reason: reason, as: envelope) }
    }

    func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try call { try $0.entries(in: state, after: last, limit: limit) }
    }

    func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try call { try $0.entries(waitingFor: cause, beyond: moment, limit: limit) }
    }

    func entry(for id: OperationID) throws -> StoredEntry? {
        try call { try $0.entry(for: id) }
    }

    func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try call { try $0.requeue(id, as: envelope) }
    }

    func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try call { try $0.replaceRecord(id, from: old, to: new) }
    }

    func endWaits(for cause: WaitCause) throws { try call { try $0.endWaits(for: cause) } }

    func endWaits(for cause: WaitCause, after last: WaitPosition?) throws -> WaitPosition? {
        try call { try $0.endWaits(for: cause, after: last) }
    }

    func delete(_ id: EntryID) throws { try call { try $0.delete(id) } }

    func counts() throws -> OutboxCounts { try call { try $0.counts() } }

    func isUnused() throws -> Bool { try call { try $0.isUnused() } }

    func markUsed() throws { try call { try $0.markUsed() } }

    func damage(checkingUpTo limit: Int) throws -> [StorageDamage] {
        try call { try $0.damage(checkingUpTo: limit) }
    }

    private func call<Result>(
        _ body: (any OutboxStorage) throws -> Result
    ) throws -> Result {
        guard let disk, let process else { return try body(base) }
        defer { if !process.isAlive, !disk.isCalled(by: process) { close() } }
        return try disk.call(of: process) { try body(base) }
    }
}
