package import OutboxCore
import RelayRules

/// Queues some of the chosen dead letters again, or discards them.
package struct ChangeDeadLetters: RelayTransaction {
    package enum Change: Hashable, Sendable {
        /// A letter whose bookkeeping cannot be read stays. The memos' senders are told that the relay
        /// goes on trying.
        case retry(at: WallTime)
        /// The records of the memos stay.
        case discard
    }

    package struct Outcome: Hashable, Sendable {
        package let changed: [DeadLetter]
        /// The last letter that was looked at; `nil` when there is none behind it.
        package let last: EntryID?
    }

    /// The number of letters that one transaction looks at.
    private static let limit = 128

    private let filter: DeadLetterFilter
    private let last: EntryID?
    private let change: Change

    /// - Parameters:
    ///   - filter: The conditions.
    ///   - last: The letter behind which the transaction begins; `nil` for the first one.
    ///   - change: What becomes of a letter.
    package init(_ filter: DeadLetterFilter, after last: EntryID?, _ change: Change) {
        self.filter = filter
        self.last = last
        self.change = change
    }

    package func find(in tables: some RelayReads) throws -> [StoredLetter] {
        try tables.letters(after: last, limit: Self.limit)
    }

    package func decide(_ found: [StoredLetter]) -> RelayDecision<Outcome> {
        let chosen = found.filter { filter.chooses($0.letter) && isChangeable($0.letter) }
        let changed = chosen.prefix(LetterBatch.count(of: chosen.map(\.letter.bytes)))
        let end = found.count == Self.limit ? found.last : nil
        let outcome = Outcome(
            changed: changed.map(\.letter),
            last: (changed.count < chosen.count ? changed.last : end)?.entry
        )
        return RelayDecision(outcome, writes: changed.flatMap(writes))
    }

    private func isChangeable(_ letter: DeadLetter) -> Bool {
        switch change {
        case .retry: letter.isRetryable
        case .discard: true
        }
    }

    private func writes(of found: StoredLetter) -> [RelayWrite] {
        switch change {
        case .retry(let now):
            [.requeue(found.entry), .acceptAgain(mail: found.letter.id, at: now)]
        case .discard: [.discard(found.entry)]
        }
    }
}

/// A dead letter and its place in the queue.
package struct StoredLetter: Hashable, Sendable {
    package let entry: EntryID
    package let letter: DeadLetter

    package init(entry: EntryID, letter: DeadLetter) {
        self.entry = entry
        self.letter = letter
    }
}
