import OutboxCore
public import SyncCore

// The choices of a person on what the server refused. Each is one durable transaction.
extension SyncedRecords {
    /// Sends a refused change again, as a decision of now. After a conflict this keeps the person's
    /// version.
    ///
    /// - Parameter id: The change, of an entry of ``SyncSnapshot/refused``.
    /// - Throws: ``SyncError``; `SyncEditError.noSuchEntry` if it is not refused any more.
    public func tryAgain(_ id: ChangeID) throws(SyncError) {
        try choose { machine, now throws(SyncEditError) in try machine.tryAgain(id, now: now) }
    }

    /// Sends a refused change again with other values.
    ///
    /// - Parameters:
    ///   - id: The change; not a deletion.
    ///   - values: The fields to write in place of, or beside, those of the change.
    /// - Throws: ``SyncError``.
    public func edit(_ id: ChangeID, _ values: [Field]) throws(SyncError) {
        try choose { machine, now throws(SyncEditError) in try machine.edit(id, values, now: now) }
    }

    /// Gives a refused change up: the record shows the server's values. After a conflict this keeps the
    /// server's version. Giving up a creation gives up the record's later changes, too, and refuses the
    /// changes of other records that refer to it.
    ///
    /// - Parameter id: The change.
    /// - Throws: ``SyncError``.
    public func discard(_ id: ChangeID) throws(SyncError) {
        try choose { machine, _ throws(SyncEditError) in try machine.discard(id) }
    }

    /// Notes that a person has been shown an entry of ``SyncSnapshot/overruled``, which then goes. One that
    /// is gone already is no error.
    ///
    /// - Throws: ``SyncError``.
    public func acknowledge(_ change: OverruledChange) throws(SyncError) {
        try transact { $0.acknowledged.append(change.number) }
    }

    private func choose(
        _ decide: (inout Machine, WallTime) throws(SyncEditError) -> [SyncEffect]
    ) throws(SyncError) {
        try transact { transaction in
            let effects = try decide(&transaction.machine, transaction.now)
            transaction.effects += effects
            // The choice may have let other changes of these records begin.
            for case .store(let keys) in effects {
                transaction.toSend += keys.filter(transaction.machine.canBegin)
            }
        }
    }
}
