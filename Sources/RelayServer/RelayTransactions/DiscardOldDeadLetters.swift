package import OutboxCore

/// Discards some of the mails that are parked, and were queued before a time. The outcome is their
/// number.
package struct DiscardOldDeadLetters: RelayTransaction {
    /// The greatest number of mails in one transaction.
    private static let limit = 32

    private let time: WallTime

    package init(before time: WallTime) {
        self.time = time
    }

    package func find(in tables: some RelayReads) throws -> [EntryID] {
        try tables.deadLetters(before: time, limit: Self.limit)
    }

    package func decide(_ letters: [EntryID]) -> RelayDecision<Int> {
        RelayDecision(letters.count, writes: letters.map { .discard($0) })
    }
}
