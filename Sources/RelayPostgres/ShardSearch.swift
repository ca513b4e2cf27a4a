import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

/// The search for the due mails of some shards, page by page.
///
/// The codes are few, and stand first in an index of their own order. Of memos, a statement reads the first
/// mails of each shard; what it finds is whole up to the last mail of the first shard that may have more.
///
/// Two things are left to no estimate of PostgreSQL's planner, which is far off where one account has most of
/// the mails. The memos of a shard are a range of rows in the order of `outbox_shard`, which no other index has:
/// for a shard that is equal to a value, any index of identifiers would do. The mailbox of a mail is read for
/// this mail alone: a join would have PostgreSQL read all memos.
struct ShardSearch {
    private let part: MailPart
    private let numbers: Statement.Value
    /// The number of mails that are read of each shard.
    private var perShard: Int
    /// The positions behind which the search begins; nothing for the beginning.
    private let starts: [FairChoice.Age: FairChoice.Position]
    /// The first mail of each age, as far as there is one.
    private(set) var firsts: [FairChoice.Age: FairChoice.Position] = [:]
    /// The shards of the mails that were found.
    private(set) var shards: [EntryID: Int] = [:]

    /// What a page has.
    struct Found {
        var mails: [FairChoice.Mail]
        /// Whether no mails follow; `nil` where the page's length says so.
        var isLast: Bool?
    }

    /// - Parameters:
    ///   - part: The part of the queue.
    ///   - shards: The shards of the part to search, at least one.
    ///   - limit: The greatest number of mails that are wanted.
    ///   - starts: The positions behind which the search for memos begins; nothing for the beginning.
    init(
        of part: MailPart,
        shards: Set<Int>,
        limit: Int,
        from starts: [FairChoice.Age: FairChoice.Position] = [:]
    ) {
        self.part = part
        self.starts = starts
        numbers = .numbers(shards)
        // Accounts are spread at random: of any eight mails of a shard, some are late.
        perShard = max(8, 2 * limit / shards.count)
    }

    /// The statement that reads a page.
    func statement(for page: FairChoice.Page, at now: WallTime) -> Statement {
        switch part {
        case .codes: .codes(page, at: now)
        case .memos:
            .memos(
                page,
                behind: page.last ?? starts[page.age],
                in: numbers,
                perShard: perShard,
                at: now
            )
        }
    }

    /// The mails of the rows of a page.
    mutating func take(_ rows: Rows, of page: FairChoice.Page) -> Found {
        let mails = rows.map { (FairChoice.Mail(row: $0), $0.count(4)) }
        for (mail, shard) in mails { shards[mail.entry] = shard }
        if page.last == nil { firsts[page.age] = mails.first?.0.position }
        guard part == .memos else { return Found(mails: mails.map(\.0)) }
        let whole = WholePage(mails, perShard: perShard)
        perShard *= 2
        return Found(mails: whole.mails, isLast: !whole.hasMore)
    }

    /// The statement that finds the time at which a further mail becomes due.
    func nextDue(after now: WallTime) -> Statement {
        switch part {
        case .codes: .nextDueCode(after: now)
        case .memos: .nextDueMemo(in: numbers, after: now)
        }
    }
}

extension FairChoice.Mail {
    /// A row with entry, due time, identifier and mailbox.
    fileprivate init(row: Row) {
        self.init(
            entry: row.entry(0),
            position: FairChoice.Position(due: row.integer(1), id: row.bytes(2)),
            mailbox: row.optionalBytes(3)
        )
    }
}

extension FairChoice.Page {
    /// The first eight parameters of a page's statement. No mailbox has an empty name.
    fileprivate var leftOutValues: [Statement.Value] {
        (leftOut + Array(repeating: [], count: FairChoice.mostLeftOut))
            .prefix(FairChoice.mostLeftOut).map { .bytes($0) }
    }
}

extension Statement {
    /// The due codes of a page.
    fileprivate static func codes(_ page: FairChoice.Page, at now: WallTime) -> Statement {
        let (bounds, shard) = (MailPart.codes.bounds, Value.count(MailPart.codes.shards.lowerBound))
        switch page.age {
        case .new:
            return Statement(
                """
                SELECT entry, due, id, mailbox, $13 FROM (
                    SELECT entry, due, id, (
                        SELECT mailbox FROM memo WHERE memo.operation = outbox_operation.id
                    ) AS mailbox FROM outbox_operation
                    WHERE state = 0 AND due = 0 AND id > $9 AND id <= $10
                    ORDER BY id LIMIT $12
                ) AS searched
                WHERE mailbox IS NULL OR mailbox NOT IN ($1, $2, $3, $4, $5, $6, $7, $8)
                ORDER BY id LIMIT $11
                """,
                page.leftOutValues + [
                    .bytes(page.last?.id ?? bounds.above), .bytes(bounds.last),
                    .count(page.limit), .count(page.search), shard,
                ]
            )
        case .tried:
            return Statement(
                """
                SELECT entry, due, id, mailbox, $16 FROM (
                    SELECT entry, due, id, (
                        SELECT mailbox FROM memo WHERE memo.operation = outbox_operation.id
                    ) AS mailbox FROM outbox_operation
                    WHERE state = 0 AND due <= $9 AND (due, id) > ($10, $11)
                        AND id > $12 AND id <= $13
                    ORDER BY due, id LIMIT $15
                ) AS searched
                WHERE mailbox IS NULL OR mailbox NOT IN ($1, $2, $3, $4, $5, $6, $7, $8)
                ORDER BY due, id LIMIT $14
                """,
                page.leftOutValues + [
                    .time(now), .integer(page.last?.due ?? 0),
                    .bytes(page.last?.id ?? bounds.last), .bytes(bounds.above),
                    .bytes(bounds.last), .count(page.limit), .count(page.search), shard,
                ]
            )
        }
    }

    /// The first due memos of each of some shards for a page, in their order.
    fileprivate static func memos(
        _ page: FairChoice.Page,
        behind last: FairChoice.Position?,
        in shards: Value,
        perShard: Int,
        at now: WallTime
    ) -> Statement {
        let bounds = MailPart.memos.bounds
        switch page.age {
        case .new:
            return Statement(
                """
                SELECT mails.entry, mails.due, mails.id, mails.mailbox, wanted.shard
                FROM unnest(CAST($12 AS bigint[])) AS wanted(shard) CROSS JOIN LATERAL (
                    SELECT entry, due, id, mailbox FROM (
                        SELECT shard, entry, due, id, (
                            SELECT mailbox FROM memo WHERE memo.operation = outbox_operation.id
                        ) AS mailbox FROM outbox_operation
                        WHERE state = 0 AND (shard, due, id) > (wanted.shard, 0, $9)
                            AND (shard, due) <= (wanted.shard, 0) AND id > $13
                        ORDER BY shard, due, id LIMIT $11
                    ) AS searched
                    WHERE mailbox IS NULL OR mailbox NOT IN ($1, $2, $3, $4, $5, $6, $7, $8)
                    ORDER BY shard, due, id LIMIT $10
                ) AS mails
                ORDER BY mails.id
                """,
                page.leftOutValues + [
                    .bytes(last.map { $0.id } ?? bounds.above), .count(perShard),
                    .count(page.search), shards, .bytes(bounds.above),
                ]
            )
        case .tried:
            return Statement(
                """
                SELECT mails.entry, mails.due, mails.id, mails.mailbox, wanted.shard
                FROM unnest(CAST($15 AS bigint[])) AS wanted(shard) CROSS JOIN LATERAL (
                    SELECT entry, due, id, mailbox FROM (
                        SELECT shard, entry, due, id, (
                            SELECT mailbox FROM memo WHERE memo.operation = outbox_operation.id
                        ) AS mailbox FROM outbox_operation
                        WHERE state = 0 AND (shard, due, id) > (wanted.shard, $10, $11)
                            AND (shard, due) <= (wanted.shard, $9) AND id > $12
                        ORDER BY shard, due, id LIMIT $14
                    ) AS searched
                    WHERE mailbox IS NULL OR mailbox NOT IN ($1, $2, $3, $4, $5, $6, $7, $8)
                    ORDER BY shard, due, id LIMIT $13
                ) AS mails
                ORDER BY mails.due, mails.id
                """,
                page.leftOutValues + [
                    .time(now), .integer(last?.due ?? 0), .bytes(last?.id ?? bounds.last),
                    .bytes(bounds.above), .count(perShard),
                    .count(page.search), shards,
                ]
            )
        }
    }

    fileprivate static func nextDueCode(after now: WallTime) -> Statement {
        Statement(
            """
            SELECT due FROM outbox_operation
            WHERE state = 0 AND due > $1 AND id <= $2 ORDER BY due LIMIT 1
            """,
            [.time(now), .bytes(MailPart.codes.bounds.last)]
        )
    }

    fileprivate static func nextDueMemo(in shards: Value, after now: WallTime) -> Statement {
        Statement(
            """
            SELECT min(mails.due)
            FROM unnest(CAST($3 AS bigint[])) AS wanted(shard) CROSS JOIN LATERAL (
                SELECT due FROM outbox_operation
                WHERE state = 0 AND (shard, due) > (wanted.shard, $1) AND shard <= wanted.shard
                    AND id > $2
                ORDER BY shard, due LIMIT 1
            ) AS mails
            """,
            [.time(now), .bytes(MailPart.memos.bounds.above), shards]
        )
    }
}
