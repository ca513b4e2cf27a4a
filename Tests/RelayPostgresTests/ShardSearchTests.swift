import OutboxCore
import PostgreSQLServer
import Testing

@testable import PostgreSQL
@testable import RelayPostgres
@testable import RelayRules

/// How much of the tables a search for due mails reads, by PostgreSQL's own count.
@Suite(
    "Searches of shards",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(10))
)
struct ShardSearchTests {
    private static let mails = 7_000
    private static let mailbox: [UInt8] = [7]
    private let database: RelayDatabase

    init() throws { database = try RelayDatabase() }

    /// What PostgreSQL knows of the tables when it plans a search.
    enum Statistics: CaseIterable {
        case none
        case ofTheseMails
    }

    /// The shards of the mails: one, as of one account, or all, as of many.
    enum Spread: CaseIterable {
        case oneShard
        case allShards
    }

    /// Adds the memos of one mailbox, whose mails are due: half of them new, half of them tried before.
    private func add(_ spread: Spread, _ connection: Connection) throws {
        // The statistics are those that the test wants.
        for statement: Statement in [
            Statement("ALTER TABLE memo SET (autovacuum_enabled = off)"),
            Statement("ALTER TABLE outbox_operation SET (autovacuum_enabled = off)"),
        ] { _ = try connection.run(statement) }
        _ = try connection.run(
            Statement(
                """
                INSERT INTO account(id, address_key, address, created_at, mailbox)
                VALUES ($1, $1, $1, 1, $1)
                """,
                [.bytes(Self.mailbox)]
            )
        )
        _ = try connection.run(
            Statement(
                """
                INSERT INTO memo(
                    account, id, device, content, message_id, operation, response, status,
                    accepted_at, changed_at, change, size, mailbox
                )
                SELECT $1, int8send(number), $1, $1, '', int8send($3 + number) || int8send(number),
                    $1, 'accepted', number, number, number, 1000, $1
                FROM generate_series(CAST(1 AS bigint), CAST($2 AS bigint)) AS numbers(number)
                """,
                // Identifiers of 2026.
                [
                    .bytes(Self.mailbox), .count(Self.mails),
                    .integer(1_780_000_000_000 << 16),
                ]
            )
        )
        _ = try connection.run(
            Statement(
                """
                INSERT INTO outbox_operation(id, state, due, wait, envelope, record, shard)
                SELECT operation, 0, accepted_at % 2 * accepted_at, 0, response,
                    decode(repeat('00', 1500), 'hex'), CASE WHEN $1 THEN 5 ELSE accepted_at / 2 % 64 END
                FROM memo
                """,
                [.boolean(spread == .oneShard)]
            )
        )
    }

    /// The greatest number of blocks that a statement reads of the two tables and their indexes, in seven runs:
    /// PostgreSQL plans a statement with its values at first, and without them after five runs.
    private func blocks(_ statement: Statement, _ connection: Connection) throws -> Int {
        let count = Statement(
            """
            SELECT CAST(sum(pg_stat_get_xact_blocks_fetched(oid)) AS bigint) FROM (
                SELECT CAST('memo' AS regclass) AS oid
                UNION SELECT CAST('outbox_operation' AS regclass)
                UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (
                    CAST('memo' AS regclass), CAST('outbox_operation' AS regclass)
                )
            ) AS relations
            """
        )
        let runs = try (0..<7).map { _ in
            try connection.transaction(.readCommitted) { transaction in
                let before = try transaction.run(count).first?.count(0) ?? 0
                _ = try transaction.run(statement)
                return (try transaction.run(count).first?.count(0) ?? 0) - before
            }
        }
        return runs.max() ?? 0
    }

    @Test(
        "a search reads a few blocks for each mail, whatever shares the shards have",
        arguments: Spread.allCases,
        Statistics.allCases
    )
    func blocksRead(_ spread: Spread, _ statistics: Statistics) async throws {
        _ = try await database.store()
        let connection = try database.connection()
        try add(spread, connection)
        if statistics == .ofTheseMails { _ = try connection.run(Statement("ANALYZE")) }
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        let search = ShardSearch(of: .memos, shards: Set(MailPart.memos.shards), limit: 48)
        for age in [FairChoice.Age.new, .tried] {
            let first = FairChoice.Position(
                due: age == .new ? 0 : 1,
                id: MailPart.memos.bounds.above
            )
            // Goes through all mails: the only mailbox has its share.
            let page = FairChoice.Page(
                age: age,
                last: first,
                limit: 48,
                leftOut: [Self.mailbox],
                search: FairChoice.longestSearch
            )
            let read = try blocks(search.statement(for: page, at: now), connection)
            #expect(read > Self.mails / 2, "\(age)")
            #expect(read < 3 * Self.mails, "\(age)")
            // Ends with the first mails of each shard.
            let beginning = FairChoice.Page(
                age: age,
                last: nil,
                limit: 48,
                leftOut: [],
                search: FairChoice.longestSearch
            )
            let readAtFirst = try blocks(search.statement(for: beginning, at: now), connection)
            #expect(readAtFirst < 64 * MailPart.memos.shards.count, "\(age)")
        }
        let read = try blocks(search.nextDue(after: now), connection)
        #expect(read < 16 * MailPart.memos.shards.count)
    }
}
