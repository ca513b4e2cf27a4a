import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

/// The relay's tables as questions: the reads of all transactions, and those of the store.
///
/// Each read is of statements that need no answer to another one.
struct PostgreSQLTables: RelayReads {
    let questions: Questions
    let sealer: Sealer

    /// The answers to the questions of a piece of work; see ``Questions/ask(_:send:)``.
    static func ask<Value>(
        _ work: (PostgreSQLTables) throws -> Value,
        sealer: Sealer,
        send: ([Statement]) throws -> [Rows]
    ) throws -> Value {
        try Questions.ask(
            { try work(PostgreSQLTables(questions: $0, sealer: sealer)) },
            send: send
        )
    }

    /// - Parameter isAmended: Whether the answer is right beside memos that the transaction has accepted
    ///   since, as `read` or the caller amends it (``AcceptedSince``).
    func first<Value>(
        _ text: StaticString,
        _ parameters: Statement.Value...,
        isAmended: Bool = false,
        read: (Row) throws -> Value
    ) throws -> Value? {
        try questions.first(Statement(text, parameters), isAmended: isAmended, read)
    }

    func list<Value>(
        _ text: StaticString,
        _ parameters: Statement.Value...,
        read: (Row) throws -> Value
    ) throws -> [Value] {
        try questions.list(Statement(text, parameters), read)
    }

    /// Whether there is a row.
    func isThere(_ text: StaticString, _ parameters: Statement.Value...) throws -> Bool {
        try questions.first(Statement(text, parameters)) { _ in true } ?? false
    }
}
