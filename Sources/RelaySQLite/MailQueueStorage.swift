import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import RelayRules
import RelayServer
import SQLite

/// The mail queue in SQLite.
///
/// Outcomes of attempts share transactions, and their syncs, with all other callers of the store; the
/// look-ups read beside them. So a drain never keeps the transactions waiting.
struct MailQueueStorage: WrappingStorage {
    let base: SQLiteStorage
    let transactions: SharedTransactions
    let reads: ReadConnections
    /// The age at which a mail leaves the queue although its memo refuses the fate, because the
    /// memo's row is damaged for instance; `nil`: never.
    let lifetime: Milliseconds?
    let clock: OutboxClock
    let paces = SearchPaces()
    /// Called for a mail that leaves the queue without its memo's fate.
    let fateLost: @Sendable (OperationID) -> Void

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        guard !settlements.isEmpty else { return [] }
        let settled = try transactions.writeBlocking { try settle(settlements, in: $0) }
        for id in settled.lost { fateLost(id) }
        return settled.unsettled
    }

    private func settle(
        _ settlements: [Settlement],
        in database: Connection
    ) throws -> (unsettled: [Unsettled], lost: [OperationID]) {
        var lost: [OperationID] = []
        for settlement in settlements {
            guard let fate = MemoFate(settlement.transition) else { continue }
            do {
                try database.record(fate, of: settlement.id, at: clock.wallTime())
            } catch let error as SQLiteError where error.isConstraint || error.isCorrupt {
                guard try isPastLifetime(settlement, in: database) else { throw error }
                lost.append(settlement.id)
            }
        }
        let unsettled = try base.settle(settlements, in: database)
        for settlement in settlements
        where !unsettled.contains(where: { $0.entry == settlement.entry }) {
            try keepNotes(of: settlement, in: database)
        }
        return (unsettled, lost)
    }

    func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try base.write { database in
            try base.quarantine(id, reason: reason, as: envelope, in: database)
            try RelaySchema.refuseQuarantined(id, at: clock.wallTime(), in: database)
            try database.noteDeath(of: id)
        }
    }

    /// Keeps the notes of a mail as the end of its attempt leaves it. A mail that was held meanwhile, and
    /// is to be attempted again, is held.
    private func keepNotes(of settlement: Settlement, in database: Connection) throws {
        let mail = settlement.entry
        switch settlement.transition {
        case .remove: try database.dropHold(of: mail)
        case .park: try database.noteDeath(of: mail)
        case .reschedule:
            if try database.isHeld(mail) { _ = try base.park(mail, in: database) }
        }
    }

    func close() {
        base.close()
        reads.close()
    }

    private func isPastLifetime(
        _ settlement: Settlement,
        in database: Connection
    ) throws -> Bool {
        guard let lifetime else { return false }
        let stored = try database.first(
            "SELECT envelope FROM outbox_operation WHERE entry = ?",
            .integer(settlement.entry.rawValue)
        ) { $0.blob(0) }
        guard let stored, let envelope = try? Envelope(decoding: stored) else { return true }
        return clock.wallTime().since(envelope.createdAt) >= lifetime
    }
}
