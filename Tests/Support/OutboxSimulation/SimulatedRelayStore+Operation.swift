import Outbox
package import OutboxCore
import OutboxTesting
import RelayAPI
package import RelayRules
package import RelayServer

extension SimulatedRelayStore: ExaminedStore {
    package func tryWriting(at now: WallTime) async throws {
        try await disturbance()
        try database.transaction { $0.triedAt = now }
    }

    package func tryKeys() async throws {
        try await disturbance()
        guard try !keys.keys(creating: false).isEmpty else { throw KeyStoreError.missing }
    }

    package func queueFigures() async throws -> QueueFigures {
        try await disturbance()
        var figures = QueueFigures()
        figures.dead = try dead().count
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

    /// The stored mails that the relay has given up, in the order in which they were queued.
    private func dead() throws -> [StoredEntry] {
        let mails = database.mails
        return try
            (mails.entries(in: .parked, after: nil, limit: .max)
            + mails.entries(in: .quarantined, after: nil, limit: .max))
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }
}

extension SimulatedRelayStore: OperatedStore {
    package func relaySecret() async throws(OperatorError) -> RelaySecret { secret }

    package func deadLetters(
        _ filter: DeadLetterFilter,
        limit: Int
    ) async throws(OperatorError) -> [DeadLetter] {
        try transaction { tables in
            Array(try letters(filter, tables).map { $0.letter }.prefix(limit))
        }
    }

    package func retry(
        _ filter: DeadLetterFilter,
        at now: WallTime
    ) async throws(OperatorError) -> [DeadLetter] {
        let retried = try transaction { tables in
            var retried: [DeadLetter] = []
            for (letter, mail) in try letters(filter, tables) where letter.isRetryable {
                let envelope = try Envelope(decoding: mail.envelope).madeEligible()
                try database.mails.requeue(mail.id, as: envelope)
                tables.change(letter.id, to: .accepted)
                retried.append(letter)
            }
            return retried
        }
        for queue in [codes, outbox] { queue.wake() }
        return retried
    }

    package func discard(
        _ filter: DeadLetterFilter
    ) async throws(OperatorError) -> [DeadLetter] {
        try transaction { tables in
            let chosen = try letters(filter, tables)
            for (_, mail) in chosen { try database.mails.delete(mail.id) }
            return chosen.map { $0.letter }
        }
    }

    package func statistics(at now: WallTime) async throws(OperatorError) -> RelayStatistics {
        do {
            let queue = try await queueFigures()
            let waits = try await queueCondition(at: now).waits
            return try database.transaction { tables in
                RelayStatistics(
                    queue: queue,
                    waits: Dictionary(uniqueKeysWithValues: waits.map { ("\($0.key)", $0.value) }),
                    deadLetters: Self.counted(
                        try letters(DeadLetterFilter(), tables).map { $0.letter.reason }
                    ),
                    memos: Self.counted(tables.memos.values.map(\.record.status.rawValue)),
                    accounts: tables.accounts.count,
                    devices: tables.devices.values.count { !$0.isRevoked }
                )
            }
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    package func recordBounce(
        _ bounce: MailBounce
    ) async throws(OperatorError) -> MailBounceResult {
        try transaction { $0.record(bounce) }
    }

    private func transaction<Result: Sendable>(
        _ body: (inout RelayDatabase.Tables) throws -> Result
    ) throws(OperatorError) -> Result {
        do {
            return try database.transaction(body)
        } catch {
            throw .unusable(.failed(code: "\(ReasonCode(failure: error))"))
        }
    }

    private func letters(
        _ filter: DeadLetterFilter,
        _ tables: RelayDatabase.Tables
    ) throws -> [(letter: DeadLetter, mail: StoredEntry)] {
        try dead().compactMap { mail in
            guard let id = mail.operationID else { return nil }
            let memo = tables.memos.first { $0.value.operation == id }?.key
            let account = tables.accounts.values.first { $0.id == memo?.account }
            let letter = DeadLetter(
                id: id,
                isParked: mail.state == .parked,
                quarantine: mail.quarantineReason?.rawValue,
                envelope: mail.envelope,
                bytes: mail.record.count,
                memo: memo?.id,
                domain: account?.address.domain
            )
            return filter.chooses(letter) ? (letter, mail) : nil
        }
    }

    private static func counted(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
