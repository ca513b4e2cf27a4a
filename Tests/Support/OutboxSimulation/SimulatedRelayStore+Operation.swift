import Outbox
package import OutboxCore
import OutboxTesting
import RelayAPI
import RelayRules
package import RelayServer

extension SimulatedRelayStore {
    package func tryKeys() async throws {
        try await disturbance()
        guard try !keys.keys(creating: false).isEmpty else { throw KeyStoreError.missing }
    }

    package func lastMovement() async throws -> WallTime? {
        try await disturbance()
        return try database.transaction { $0.movedAt }
    }

    package func reusableSpace() -> Int64 { 0 }

    package func queueFigures() async throws -> QueueFigures {
        try await disturbance()
        var figures = QueueFigures()
        (figures.dead, figures.held) = try database.transaction {
            (try tables($0).letters(after: nil, limit: .max).count, $0.held.count)
        }
        for mail in try database.mails.entries(in: .queued, after: nil, limit: .max) {
            guard let id = mail.operationID else { continue }
            let part = Self.part(of: id)
            if part == .codes { figures.codes += 1 } else { figures.memos += 1 }
            figures.oldest = min(figures.oldest ?? part.time(of: id), part.time(of: id))
        }
        return figures
    }

    package func queueCondition(at now: WallTime) async throws -> QueueCondition {
        try await disturbance()
        var condition = QueueCondition()
        for mail in try database.mails.entries(in: .queued, after: nil, limit: .max) {
            guard let id = mail.operationID, let envelope = try? Envelope(decoding: mail.envelope)
            else { continue }
            let isNew = envelope.nextEligibleAt == .distantPast
            let due = isNew ? Self.part(of: id).time(of: id) : envelope.nextEligibleAt
            if isNew || due <= now { condition.dueSince = min(condition.dueSince ?? due, due) }
            guard envelope.waitCause == .backoff else { continue }
            condition.waits[ReasonCode(lastErrorOf: mail.envelope), default: 0] += 1
        }
        return condition
    }

    private static func part(of mail: OperationID) -> MailPart {
        MailPart.codes.contains(mail) ? .codes : .memos
    }
}

extension SimulatedRelayStore: TransactedOperations {
    package func relaySecret() async throws(OperatorError) -> RelaySecret { secret }

    package func deadLetters(
        _ filter: MailFilter,
        limit: Int
    ) async throws(OperatorError) -> [DeadLetter] {
        try list(filter, limit: limit) { try $0.letters(after: nil, limit: .max) }
    }

    package func waitingMails(
        _ filter: MailFilter,
        limit: Int
    ) async throws(OperatorError) -> [WaitingMail] {
        try list(filter, limit: limit) { try $0.waitingMails(after: nil, limit: .max) }
    }

    private func list<Mail>(
        _ filter: MailFilter,
        limit: Int,
        _ all: (SimulatedTables) throws -> [StoredMail<Mail>]
    ) throws(OperatorError) -> [Mail] {
        do {
            let all = try database.transaction { try all(tables($0)) }
            return Array(all.map(\.mail).filter(filter.chooses).prefix(limit))
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    package func ownMailboxes() async throws(OperatorError) -> [ListedMailbox] {
        do {
            return try database.transaction { tables in
                tables.ownMailboxes.values.sorted { $0.changedAt < $1.changedAt }
                    .map { ListedMailbox($0.mailbox, changedAt: $0.changedAt) }
            }
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    package func invitations(
        at now: WallTime
    ) async throws(OperatorError) -> [ListedInvitation] {
        do {
            return try database.transaction { tables in
                tables.invitations.values
                    .filter { $0.invitedAt > Invitation.lastVoid(at: now) }
                    .sorted { $0.invitedAt < $1.invitedAt }
                    .map { ListedInvitation(address: $0.address, invitedAt: $0.invitedAt) }
            }
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    package func operate<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws(OperatorError) -> Transaction.Outcome {
        do {
            let outcome = try await run(transaction)
            // As a relay notices what another process has queued again.
            for queue in [codes, outbox] { queue.wake() }
            return outcome
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    package func statistics(at now: WallTime) async throws(OperatorError) -> RelayStatistics {
        do {
            let queue = try await queueFigures()
            let waits = try await queueCondition(at: now).waits
            return try database.transaction { rows in
                RelayStatistics(
                    queue: queue,
                    waits: Dictionary(uniqueKeysWithValues: waits.map { ("\($0.key)", $0.value) }),
                    deadLetters: Self.counted(
                        try tables(rows).letters(after: nil, limit: .max).map(\.mail.reason)
                    ),
                    memos: Self.counted(rows.memos.values.map(\.record.status.rawValue)),
                    accounts: rows.accounts.count,
                    devices: rows.devices.values.count { !$0.isRevoked }
                )
            }
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    private static func counted(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
