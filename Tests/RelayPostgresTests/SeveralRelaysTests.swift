import Outbox
import OutboxCore
import OutboxTesting
import PostgreSQLServer
import RelayAPI
import Testing
import Waiting

@testable import PostgreSQL
@testable import RelayPostgres
@testable import RelayRules
@testable import RelayServer
@testable import RelayTesting

/// Relays that share one database.
@Suite(
    "Several relays of one database",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct SeveralRelaysTests {
    fileprivate typealias Conformance = RelayStoreConformance<PostgreSQLRelayStore>

    private let database: RelayDatabase
    private let keys = MemoryKeyStore(keys: [.random()])

    init() throws { database = try RelayDatabase() }

    @Test("relays that start at once have one secret")
    func secret() async throws {
        let secrets = try await withThrowingTaskGroup(of: RelaySecret.self) { group in
            for _ in 0..<4 {
                group.addTask { [database, keys] in try await database.store(keys: keys).secret }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let address = try #require(MailAddress("person@inbox.example"))
        #expect(Set(secrets.map { $0.key(of: address) }).count == 1)
    }

    @Test(
        "a relay that starts forgets the transactions of relays that ended a day ago, and no others"
    )
    func endedWriters() async throws {
        _ = try await database.store(keys: keys)
        let connection = try database.connection()
        let day = 86_400_000
        for (id, age) in [(1, day + 60_000), (2, day - 60_000)] {
            _ = try connection.run(
                Statement(
                    """
                    INSERT INTO relay_writer(id, last, at)
                    VALUES ($1, 7, CAST(extract(epoch FROM now()) * 1000 AS bigint) - $2)
                    """,
                    [.bytes([UInt8(id)]), .integer(Int64(age))]
                )
            )
        }
        _ = try await database.store(keys: keys)
        let kept = try connection.run(Statement("SELECT id FROM relay_writer WHERE last = 7"))
        #expect(kept.map { $0.bytes(0) } == [[2]])
    }

    @Test("a relay with another key does not start")
    func otherKey() async throws {
        _ = try await database.store(keys: keys)
        let other = MemoryKeyStore(keys: [.random()])
        await #expect(throws: UnreadableRecord.self) { try await database.store(keys: other) }
    }

    @Test(
        "two relays with 96 callers accept a limit exactly, while one of them loses its connections"
    )
    func limit() async throws {
        let stores = [
            try await database.store(keys: keys), try await database.store(keys: keys),
        ]
        let device = try await Conformance.device(1, in: stores[0])
        let limits = MemoLimits(device: DeviceLimits(perMinute: 40, perDay: 40))
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<96 {
                group.addTask {
                    if number == 50 { await stores[1].close() }
                    let memo = Conformance.memo(UInt64(number), from: device)
                    do {
                        let decision = try await stores[number % 2].accept(memo, limits: limits)
                        if case .accepted = decision { return true }
                    } catch StorageError.closed {}
                    return false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 40)
        let list = try await stores[0].changes(of: device.account, after: 0, limit: 100)
        #expect(list.changes.count == 40)
        #expect(try await stores[0].queueFigures().memos == 40)
    }

    @Test("a relay that stops with the turn keeps others waiting until the server ends its session")
    func stopped() async throws {
        let store = try await database.store(keys: keys)
        let stopped = try database.connection()
        // As a relay begins, with a shorter time.
        for statement in [
            Statement("BEGIN"),
            Statement("SET LOCAL idle_in_transaction_session_timeout = '300ms'"),
            Statement("SELECT id FROM relay_turn WHERE id = 0 FOR UPDATE"),
        ] { _ = try stopped.run(statement) }
        try await store.tryWriting(at: Conformance.now)
        #expect(throws: PostgreSQLError.self) { try stopped.run(Statement("COMMIT")) }
    }

    @Test("a relay hands over what another one has queued, and takes over when that one ends")
    func takeOver() async throws {
        let stores = [
            try await database.store(keys: keys), try await database.store(keys: keys),
        ]
        let device = try await Conformance.device(1, in: stores[0])
        let (handed, hand) = AsyncStream.makeStream(of: OperationID.self)
        let handler: OperationHandler = { operation in
            hand.yield(operation.id)
            return .done
        }
        let handlers: [OperationKind: OperationHandler] = [
            .memoMail: handler, .verificationMail: handler, .deviceMail: handler,
        ]
        var mails = handed.makeAsyncIterator()
        let drains = stores.map { store in Task { try await store.deliver(handlers) } }
        // The mails of the sign-in.
        _ = await mails.next()
        for number in 1...4 {
            _ = try await stores[number % 2].accept(
                Conformance.memo(UInt64(number), from: device),
                limits: MemoLimits()
            )
            #expect(await mails.next() != nil)
            if number == 2 {
                drains[0].cancel()
                _ = await drains[0].result
            }
        }
        try await waitUntil { try await stores[0].queueFigures().memos == 0 }
        drains[1].cancel()
        _ = await drains[1].result
    }
}
