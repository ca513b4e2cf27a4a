package import Outbox
package import OutboxCore
package import PostgreSQL
import RelayRules
package import RelayServer

/// The database of relays, opened beside them, by their operator's commands.
///
/// Each read and each change is one transaction. Makes no tables.
package struct PostgreSQLOperators: TransactedOperations {
    private let pool: Pool
    private let turns: RelayTurns
    private let sealer: Sealer
    private let queue = BlockingQueue(label: "relay-operator")

    /// Connects to nothing yet.
    ///
    /// - Parameters:
    ///   - pool: The connections, at least two.
    ///   - isolation: As of the relays.
    ///   - keys: The keys of the relays.
    package init(_ pool: Pool, isolation: Isolation = .readCommitted, keys: some KeyStore) {
        self.pool = pool
        turns = RelayTurns(pool: pool, isolation: isolation)
        let queue = PostgreSQLMailQueue(pool: pool, turns: turns, clock: .system)
        sealer = Sealer(store: keys, storage: queue)
    }

    package func relaySecret() async throws(OperatorError) -> RelaySecret {
        do {
            // The first use of a sealer asks the storage, and waits for it.
            return try await queue.run { [pool, sealer] in
                let stored = try translating {
                    try pool.attemptBlocking { try $0.run(.secret).map(SealedSecrets.init(row:)) }
                }
                guard let secret = stored.first else { throw OperatorError.noDatabase }
                return try secret.opened(by: sealer)
            }
        } catch {
            throw OperatorError(error)
        }
    }

    package func operate<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws(OperatorError) -> Transaction.Outcome {
        _ = try await relaySecret()
        do {
            return try await translating { [turns, sealer] in
                try await turns.write { try $0.run(transaction, sealer).outcome }
            }
        } catch {
            throw OperatorError(error)
        }
    }

    package func deadLetters(
        _ filter: MailFilter,
        limit: Int
    ) async throws(OperatorError) -> [DeadLetter] {
        try await list(filter, limit: limit) { try $0.letters(after: $1, limit: $2) }
    }

    package func waitingMails(
        _ filter: MailFilter,
        limit: Int
    ) async throws(OperatorError) -> [WaitingMail] {
        try await list(filter, limit: limit) { try $0.waitingMails(after: $1, limit: $2) }
    }

    /// The chosen mails of a list that is read in pages.
    private func list<Mail: Sendable>(
        _ filter: MailFilter,
        limit: Int,
        _ page:
            @escaping @Sendable (PostgreSQLTables, _ last: EntryID?, _ limit: Int) throws ->
            [StoredMail<Mail>]
    ) async throws(OperatorError) -> [Mail] {
        var mails: [Mail] = []
        var last: EntryID?
        while mails.count < limit {
            let found = try await read { [last] in
                try page($0, last, ChosenMails<Mail>.limit)
            }
            mails += found.map(\.mail).filter(filter.chooses)
            guard found.count == ChosenMails<Mail>.limit, let end = found.last?.entry else { break }
            last = end
        }
        return Array(mails.prefix(limit))
    }

    package func statistics(at now: WallTime) async throws(OperatorError) -> RelayStatistics {
        try await read { try $0.statistics(at: now) }
    }

    package func ownMailboxes() async throws(OperatorError) -> [ListedMailbox] {
        try await read { try $0.ownMailboxes() }
    }

    package func invitations(
        at now: WallTime
    ) async throws(OperatorError) -> [ListedInvitation] {
        try await read { try $0.listedInvitations(after: Invitation.lastVoid(at: now)) }
    }

    private func read<Value: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLTables) throws -> Value
    ) async throws(OperatorError) -> Value {
        _ = try await relaySecret()
        do {
            return try await translating { [pool, sealer] in
                try await pool.readTables(sealer, work)
            }
        } catch {
            throw OperatorError(error)
        }
    }
}
