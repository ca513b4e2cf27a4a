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

    private let age: RunningAge
    private let span: Milliseconds

    /// - Parameters:
    ///   - age: The rule.
    ///   - span: The time for which the relay has run since the latest note.
    package init(_ age: RunningAge, after span: Milliseconds) {
        self.age = age
        self.span = span
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            running: try tables.runningTime(),
            new: try tables.newDeadLetters(limit: LetterBatch.letters),
            earliest: try tables.notedDeadLetters(limit: LetterBatch.letters)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<DeadLetterSweep> {
        let running = age.running(found.running, after: span)
        let reached = found.earliest.filter { age.isReached(since: $0.seen, at: running) }
        let old = reached.prefix(LetterBatch.count(of: reached.map(\.bytes)))
        let isCut = old.count < reached.count || reached.count == LetterBatch.letters
        let time = running > found.running ? [RelayWrite.running(running)] : []
        return RelayDecision(
            DeadLetterSweep(
                discarded: old.count,
                isDone: found.new.isEmpty && !isCut
            ),
            writes: time + found.new.map { .noteDead($0, at: running) }
                + old.map { .discard($0.entry) }
        )
    }
}

/// A dead letter that the relay has noted.
package struct NotedLetter: Hashable, Sendable {
    package let entry: EntryID
    /// The running time at which the relay first saw the letter dead, see ``RunningAge``.
    package let seen: Milliseconds
    /// The size of the sealed mail.
    package let bytes: Int

    package init(entry: EntryID, seen: Milliseconds, bytes: Int) {
        self.entry = entry
        self.seen = seen
        self.bytes = bytes
    }
}
