import MemoCore
public import Outbox
public import OutboxCore
public import OutboxSQLite

/// The storage of the device's outbox: stores what becomes of an operation, and of its memo in the
/// history, in one transaction.
public struct MemoQueueStorage: WrappingStorage {
    public let base: SQLiteStorage

    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try base.write { connection in
            for settlement in settlements {
                guard let standing = OperationStanding(settlement.transition) else { continue }
                try MemoBox.record(standing, of: settlement.id, in: connection)
            }
            return try base.settle(settlements, in: connection)
        }
    }

    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try base.write { connection in
            if let operation = try base.entry(id, in: connection)?.operationID {
                try MemoBox.record(.quarantined(reason.code), of: operation, in: connection)
            }
            try base.quarantine(id, reason: reason, as: envelope, in: connection)
        }
    }
}

extension OperationStanding {
    /// - Returns: `nil` for an operation that stays queued.
    fileprivate init?(_ transition: DeliveryMachine.Transition) {
        switch transition {
        case .remove: self = .accepted
        case .park(let envelope): self = .parked(envelope.lastError)
        case .reschedule: return nil
        }
    }
}
