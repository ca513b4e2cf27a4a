import Outbox
import OutboxCore
import OutboxSQLite
import RelayRules
import RelayServer
import SQLite

extension MailQueueStorage: MailQueue {
    /// A damaged index, and a moment that is no number, are left to the storage below.
    func eligible(
        in part: MailPart,
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>
    ) throws -> EligibleRecords {
        let found: EligibleRecords?
        do {
            found = try reads.read { database in
                try eligible(
                    in: part,
                    at: now,
                    limit: limit,
                    withoutRecordsOf: operations,
                    database
                )
            }
        } catch StorageError.corrupt {
            found = nil
        }
        if let found { return found }
        let all = try base.eligible(at: now, limit: limit)
        return EligibleRecords(
            entries: all.entries.filter { part.contains($0.operationID) },
            nextEligibleAt: all.nextEligibleAt
        )
    }

    /// The relay's lock keeps other processes out.
    func claimDrain(of part: MailPart) throws -> (any DrainClaim)? {
        switch part {
        case .memos: try base.claimDrain()
        case .codes: try FileLock(path: base.path + "-drain-codes")
        }
    }

    private func eligible(
        in part: MailPart,
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>,
        _ database: Connection
    ) throws -> EligibleRecords? {
        var pace = paces[part]
        let choice = try pace.choose(limit: limit, inFlight: operations, now: clock.monotonic) {
            page in
            guard let mails = try Self.mails(of: page, in: part, at: now, database) else {
                throw StorageError.corrupt
            }
            return (mails, nil)
        }
        paces[part] = pace
        let entries = try choice.mails.compactMap { mail in
            try mail.withoutRecord(ifAmong: operations)
                ?? base.entry(mail.entry, in: database)
        }
        guard choice.mails.count < limit else {
            return EligibleRecords(entries: entries, nextEligibleAt: nil)
        }
        let next = try database.first(
            """
            SELECT due, typeof(due) = 'integer' FROM outbox_operation
            WHERE state = 0 AND due > ? AND id > ? AND id <= ? ORDER BY due LIMIT 1
            """,
            .integer(now.millisecondsSinceEpoch),
            .blob(part.bounds.above),
            .blob(part.bounds.last)
        ) { (due: WallTime(millisecondsSinceEpoch: $0.integer(0)), isMoment: $0.integer(1) == 1) }
        guard next?.isMoment ?? true else { return nil }
        let times = [next?.due, choice.wait.map { now.advanced(by: $0) }]
        return EligibleRecords(
            entries: entries,
            nextEligibleAt: times.compactMap(\.self).min()
        )
    }

    /// - Returns: `nil` where the database does not hand the mails out in their order.
    private static func mails(
        of page: FairChoice.Page,
        in part: MailPart,
        at now: WallTime,
        _ database: Connection
    ) throws -> [FairChoice.Mail]? {
        let (isOfAge, beginning) =
            switch page.age {
            case .new: ("due = 0", part.bounds.above)
            case .tried: ("due <= ?1 AND (due, outbox_operation.id) > (?2, ?3)", part.bounds.last)
            }
        let last = Value.blob(page.last?.id ?? beginning)
        // No mailbox has an empty name.
        let leftOut = page.leftOut + Array(repeating: [], count: FairChoice.mostLeftOut)
        let places = (8..<8 + FairChoice.mostLeftOut).map { "?\($0)" }.joined(separator: ", ")
        let mails = try database.query(
            """
            SELECT entry, due, id, owner FROM (
                SELECT entry, due, outbox_operation.id AS id, coalesce(mailbox, account) AS owner
                FROM outbox_operation LEFT JOIN memo ON memo.operation = outbox_operation.id
                WHERE state = 0 AND \(isOfAge)
                    AND outbox_operation.id > ?4 AND outbox_operation.id <= ?5
                ORDER BY due, outbox_operation.id LIMIT ?7
            )
            WHERE owner IS NULL OR owner NOT IN (\(places)) LIMIT ?6
            """,
            [
                .integer(now.millisecondsSinceEpoch),
                .integer(page.last?.due ?? 0),
                last,
                page.age == .new ? last : .blob(part.bounds.above),
                .blob(part.bounds.last),
                .integer(Int64(page.limit)),
                .integer(Int64(page.search)),
            ] + leftOut.prefix(FairChoice.mostLeftOut).map { .blob($0) }
        ) { row in
            FairChoice.Mail(
                entry: EntryID(rawValue: row.integer(0)),
                position: FairChoice.Position(due: row.integer(1), id: row.blob(2)),
                mailbox: row.optionalBlob(3)
            )
        }
        // SQLite reads the inner query row by row, and ends it with the page. It would read all of it for
        // an order that it promises.
        let isInOrder = zip(mails, mails.dropFirst()).allSatisfy { $0.position < $1.position }
        return isInOrder ? mails : nil
    }
}
