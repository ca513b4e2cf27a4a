/// A transaction of a relay's store: what it reads, what it decides, and what it writes.
///
/// Each transaction is declared once, for all stores. A store runs it in three steps, all in one durable
/// transaction of its own: ``find(in:)`` reads, ``decide(_:)`` decides, and the store makes the
/// decision's ``RelayWrite``s in their order. A store therefore adds tables, and no rule.
///
/// - No read depends on the answer to another read: ``find(in:)`` asks the same questions in the same
///   order, whatever the answers are. A store behind a socket can ask it twice: once to learn the
///   questions, which it then sends in one go, and once to hand the answers out.
/// - ``decide(_:)`` has no effect. A store calls it again when a shared transaction has failed.
/// - What cannot be had inside a transaction, such as a sealed mail, is a property of the transaction.
///   Where it is missing, the decision writes nothing, and its outcome says what is missing.
package protocol RelayTransaction: Sendable {
    /// The answers to all reads.
    associatedtype Found
    associatedtype Outcome: Sendable

    /// Reads what the decision needs.
    func find(in tables: some RelayReads) throws -> Found

    /// The pure decision.
    func decide(_ found: Found) -> RelayDecision<Outcome>
}

/// The decision of a ``RelayTransaction``.
package struct RelayDecision<Outcome: Sendable>: Sendable {
    package let outcome: Outcome
    /// In the order in which they are made.
    package let writes: [RelayWrite]

    package init(_ outcome: Outcome, writes: [RelayWrite] = []) {
        self.outcome = outcome
        self.writes = writes
    }
}

extension RelayTransaction {
    /// What the transaction decides over `tables`, without its writes.
    package func decision(over tables: some RelayReads) throws -> RelayDecision<Outcome> {
        decide(try find(in: tables))
    }
}
