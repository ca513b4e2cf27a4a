package import OutboxCore
package import RelayRules

/// Notes how long the relay has run and which mails are newly dead, and discards some of the dead
/// letters that are old by that.
package struct AgeDeadLetters: RelayTransaction {
    package struct Found {
        let running: Milliseconds
        /// Dead letters that are not noted yet.
        let new: [EntryID]
        /// The noted letters that were seen first.
        let earliest: [NotedLetter]
    }

    /// The greatest number of new letters, and of old ones, in one transaction.
    private static let limit = 32

    private let age: DeadLetterAge
    private let span: Milliseconds

    /// - Parameters:
    ///   - age: The rule.
    ///   - span: The time for which the relay has run since the latest note.
    package init(_ age: DeadLetterAge, after span: Milliseconds) {
        self.age = age
        self.span = span
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            running: try tables.runningTime(),
            new: try tables.newDeadLetters(limit: Self.limit),
            earliest: try tables.notedDeadLetters(limit: Self.limit)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<DeadLetterSweep> {
        let running = age.running(found.running, after: span)
        let old = found.earliest.filter { age.isReached(since: $0.seen, at: running) }
        let time = running > found.running ? [RelayWrite.running(running)] : []
        return RelayDecision(
            DeadLetterSweep(
                discarded: old.count,
                isDone: found.new.isEmpty && old.count < Self.limit
            ),
            writes: time + found.new.map { .noteDead($0, at: running) }
                + old.map { .discard($0.entry) }
        )
    }
}

/// A dead letter that the relay has noted.
package struct NotedLetter: Hashable, Sendable {
    package let entry: EntryID
    /// The running time at which the relay first saw the letter dead, see ``DeadLetterAge``.
    package let seen: Milliseconds

    package init(entry: EntryID, seen: Milliseconds) {
        self.entry = entry
        self.seen = seen
    }
}
