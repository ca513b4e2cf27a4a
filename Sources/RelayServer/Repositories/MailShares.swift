import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

/// A part of the mail queue, with a drain of its own, of which each account has a share.
///
/// - Sign-in codes and memos are two parts: whatever memos wait for, a code leaves at once. Mails
///   about new devices are among the codes.
/// - Mails that were tried before and new mails take turns: neither keeps the other from being
///   handed over.
/// - The mails of one account are at most ``perAccount`` of the new mails that are handed over at once,
///   and as many of the mails that were tried before.
///
/// The identifier of a mail says to which part the mail belongs: see ``Part``. Two drains therefore
/// never hand over one mail, and a mail that an earlier build queued belongs to one part as well.
struct MailShares: WrappingStorage {
    /// A part of the queue. The identifiers of codes are less than those of all memos, so that the
    /// index of due operations finds the codes behind any number of memos.
    enum Part: Sendable {
        case codes
        case memos

        /// The greatest identifier of a code's mail. A memo's mail has the time of its creation, a
        /// code's mail a thousandth of that time: this boundary is of the year 2004.
        private static let boundary = OperationID(high: 1 << 56, low: 0)

        /// The identifiers are greater than the first bound, and at most the second one.
        var bounds: (above: [UInt8], last: [UInt8]) {
            switch self {
            case .codes: ([], Self.boundary.bytes)
            case .memos: (Self.boundary.bytes, OperationID(high: .max, low: .max).bytes)
            }
        }

        /// The time at which a mail of this part was queued, as its identifier has it: to a second
        /// for a code.
        func time(of id: OperationID) -> WallTime {
            let time = Int64(id.high >> 16)
            return WallTime(millisecondsSinceEpoch: self == .codes ? time * 1000 : time)
        }

        /// The number of mails of this part that are handed over at once.
        var maximumInFlight: Int {
            switch self {
            case .codes: 4
            case .memos: 8
            }
        }

        fileprivate func contains(_ id: OperationID?) -> Bool {
            guard let id else { return self == .memos }
            return (id <= Self.boundary) == (self == .codes)
        }
    }

    static let perAccount = 2

    let base: MailQueueStorage
    let part: Part

    /// A new identifier for the mail of a code.
    static func codeID(at time: WallTime) -> OperationID {
        .random(at: WallTime(millisecondsSinceEpoch: max(0, time.millisecondsSinceEpoch) / 1000))
    }

    /// A damaged index, and a moment that is no number, are left to the storage below.
    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        let found: EligibleRecords?
        do {
            found = try base.base.read { try eligible(at: now, limit: limit, in: $0) }
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

    /// Each part has a drainer: the relay's lock keeps other processes out.
    func claimDrain() throws -> (any DrainClaim)? {
        switch part {
        case .memos: try base.claimDrain()
        case .codes: try FileLock(path: base.base.path + "-drain-codes")
        }
    }

    private func eligible(
        at now: WallTime,
        limit: Int,
        in database: Connection
    ) throws -> EligibleRecords? {
        let tried = try entries(.tried, at: now, limit: limit, in: database)
        let new = try entries(.new, at: now, limit: limit, in: database)
        let turns = zip(tried, new).flatMap { [$0, $1] }
        let common = min(tried.count, new.count)
        let chosen = (turns + tried.dropFirst(common) + new.dropFirst(common)).prefix(limit)
        let entries = try chosen.compactMap { try base.base.entry($0, in: database) }
        guard chosen.count < limit else {
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
        return EligibleRecords(entries: entries, nextEligibleAt: next?.due)
    }

    /// Whether a mail was tried before. Its due moment says so: a new mail has none.
    private enum Age: String {
        case new = "due = 0"
        case tried = "due <= ?1 AND (due, outbox_operation.id) > (?2, ?3)"
    }

    /// The greatest number of mails among which a look-up chooses. Behind so many mails of a few
    /// accounts others wait until these become fewer.
    private static let longestSearch = 4096
    /// The number of mails that are read at a time where the first ones do not suffice.
    private static let page = 64

    /// The first due mails of an age of which no account has more than its share.
    private func entries(
        _ age: Age,
        at now: WallTime,
        limit: Int,
        in database: Connection
    ) throws -> [EntryID] {
        var chosen: [EntryID] = []
        var taken: [[UInt8]: Int] = [:]
        var due = Value.integer(0)
        var id = Value.blob(age == .new ? part.bounds.above : part.bounds.last)
        var searched = 0
        // Mostly the first mails are of as many accounts.
        var page = limit
        while chosen.count < limit, searched < Self.longestSearch {
            let rows = try database.query(
                """
                SELECT entry, due, outbox_operation.id, account FROM outbox_operation
                LEFT JOIN memo ON memo.operation = outbox_operation.id
                WHERE state = 0 AND \(age.rawValue)
                    AND outbox_operation.id > ?4 AND outbox_operation.id <= ?5
                ORDER BY due, outbox_operation.id LIMIT ?6
                """,
                .integer(now.millisecondsSinceEpoch),
                due,
                id,
                age == .new ? id : .blob(part.bounds.above),
                .blob(part.bounds.last),
                .integer(Int64(page))
            ) { row in
                (
                    entry: EntryID(rawValue: row.integer(0)), due: row.integer(1),
                    id: row.blob(2), account: row.optionalBlob(3)
                )
            }
            for row in rows where chosen.count < limit {
                if let account = row.account {
                    guard taken[account, default: 0] < Self.perAccount else { continue }
                    taken[account, default: 0] += 1
                }
                chosen.append(row.entry)
            }
            guard rows.count == page, let last = rows.last else { break }
            (due, id) = (.integer(last.due), .blob(last.id))
            searched += rows.count
            page = Self.page
        }
        return chosen
    }
}
