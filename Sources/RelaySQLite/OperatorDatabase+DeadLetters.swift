import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
import RelayRules
public import RelayServer
import SQLite

extension OperatorDatabase {
    public func deadLetters(
        _ filter: DeadLetterFilter = DeadLetterFilter(),
        limit: Int = .max
    ) throws(OperatorError) -> [DeadLetter] {
        try readKeys()
        var letters: [DeadLetter] = []
        var last: Int64 = .min
        while letters.count < limit {
            let page = try read { try self.page(after: last, in: $0) }
            letters += page.map(\.letter).filter(filter.chooses)
            guard page.count == Self.pageLength, let end = page.last?.entry else { break }
            last = end
        }
        return Array(letters.prefix(limit))
    }

    @discardableResult
    public func retry(
        _ filter: DeadLetterFilter,
        at now: WallTime
    ) throws(OperatorError) -> [DeadLetter] {
        try change(filter) { letter, entry, database in
            guard letter.isRetryable, try storage.makeEligible(entry, in: database) else {
                return false
            }
            try database.run(
                """
                UPDATE memo SET status = ?, reason = NULL, changed_at = ?,
                    change = \(RelaySchema.nextChange)
                WHERE operation = ?
                """,
                .text(DeliveryStatus.accepted.rawValue),
                .integer(now.millisecondsSinceEpoch),
                .blob(letter.id.bytes)
            )
            return true
        }
    }

    @discardableResult
    public func discard(_ filter: DeadLetterFilter) throws(OperatorError) -> [DeadLetter] {
        try change(filter) { _, entry, database in
            try storage.delete(entry, in: database)
        }
    }

    /// A letter is chosen and changed in one transaction: a relay that changes it meanwhile comes
    /// before or after.
    private func change(
        _ filter: DeadLetterFilter,
        _ change: (DeadLetter, EntryID, Connection) throws -> Bool
    ) throws(OperatorError) -> [DeadLetter] {
        try readKeys()
        var changed: [DeadLetter] = []
        var last: Int64 = .min
        while true {
            let (page, letters) = try write { database in
                let page = try self.page(after: last, in: database)
                let letters = try page.filter { found in
                    try filter.chooses(found.letter)
                        && change(found.letter, EntryID(rawValue: found.entry), database)
                }
                return (page, letters.map(\.letter))
            }
            changed += letters
            guard page.count == Self.pageLength, let end = page.last?.entry else { return changed }
            last = end
        }
    }

    /// The greatest number of letters in one transaction.
    private static let pageLength = 128

    private func page(
        after last: Int64,
        in database: Connection
    ) throws -> [(entry: Int64, letter: DeadLetter)] {
        try database.query(
            """
            SELECT entry, outbox_operation.id, state, quarantine, envelope, length(record),
                account.id, account.address, account.created_at, memo.id
            FROM outbox_operation
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            LEFT JOIN account ON account.id = memo.account
            WHERE state IN (\(OperationState.parked.rawValue), \(OperationState.quarantined.rawValue))
                AND entry > ?
            ORDER BY entry LIMIT \(Self.pageLength)
            """,
            .integer(last)
        ) { row in
            let letter = DeadLetter(
                id: try OperationID(column: row.blob(1)),
                isParked: row.integer(2) == Int64(OperationState.parked.rawValue),
                quarantine: row.optionalText(3),
                envelope: row.blob(4),
                bytes: Int(row.integer(5)),
                memo: try row.optionalBlob(9).map { try OperationID(column: $0) },
                domain: try row.optionalBlob(7).flatMap { address in
                    try domain(
                        sealed: address,
                        of: OperationID(column: row.blob(6)),
                        createdAt: WallTime(millisecondsSinceEpoch: row.integer(8))
                    )
                }
            )
            return (row.integer(0), letter)
        }
    }

    /// - Returns: `nil` for an address that cannot be read.
    private func domain(
        sealed: [UInt8],
        of account: OperationID,
        createdAt: WallTime
    ) throws -> String? {
        do {
            let text = try sealer.open(sealed, id: account, kind: .address, createdAt: createdAt)
            return MailAddress(String(decoding: text, as: UTF8.self))?.domain
        } catch is UnreadableRecord {
            return nil
        }
    }
}
