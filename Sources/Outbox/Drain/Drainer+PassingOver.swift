import OutboxCore

/// An entry as a look-up hands it out.
struct HandedOut: Hashable, Sendable {
    let entry: EntryID
    let operation: OperationID?
}

/// Entries that a damaged storage hands out, and cannot change any more. Until this drain ends they
/// are neither attempted again and again, nor do they keep others from it.
extension Drainer {
    /// So many are the damage of a few pages. When there are more, the storage as a whole is at
    /// fault: not all that is queued is to be delivered and kept.
    private var mostPassedOver: Int { 100 }

    /// Leaves an entry alone until the drain ends.
    ///
    /// - Returns: `false` when too many are left alone already.
    mutating func passOver(
        _ handedOut: HandedOut,
        kind: OperationKind? = nil,
        _ error: any Error
    ) -> Bool {
        guard passedOver.count < mostPassedOver else { return false }
        passedOver.insert(handedOut)
        outbox.log(
            OutboxEvent(
                .leftAlone,
                id: handedOut.operation,
                kind: kind,
                reason: ReasonCode(failure: error)
            )
        )
        return true
    }

    /// Whether a look-up has handed out again what was done with before: the storage did not find
    /// it when its outcome was stored, and it was not deleted either.
    mutating func passesOver(_ handedOut: HandedOut) -> Bool {
        if passedOver.contains(handedOut) { return true }
        guard notFound.contains(handedOut) else { return false }
        _ = passOver(handedOut, StorageError.corrupt)
        return true
    }
}

extension StoredEntry {
    var handedOut: HandedOut { HandedOut(entry: id, operation: operationID) }
}

extension DrainEvent.Attempt {
    var handedOut: HandedOut { HandedOut(entry: entry, operation: envelope.id) }
}
