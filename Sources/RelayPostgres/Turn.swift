import Outbox
import PostgreSQL
import RelayServer

/// A transaction that has the turn, as its parts use it, one after the other.
///
/// Before it begins, each part runs up to its first questions, which are noted. The questions of several parts
/// take one journey to the server. The answers hold for a part as long as the parts before it have written
/// nothing, or nothing that ``AcceptedSince`` does not know; else the questions are sent again.
final class Turn {
    /// Ends a part that runs for its questions alone.
    private struct Noted: Error {}

    private enum Stage {
        /// Parts run for their questions alone.
        case noting
        /// A part runs, counted from 0.
        case running(Int)
    }

    /// The first questions of a part.
    private struct Asked {
        let questions: Questions
        var answers: [Rows]?
    }

    /// The greatest number of parts whose questions are sent together. Questions whose answers do not hold are
    /// sent again: a bound for what one part can cost.
    private static let together = 64

    private let transaction: Transaction
    private var stage: Stage
    /// By the number of the part; `nil` for a part that has no questions to begin with, or has got its answers.
    private var asked: [Asked?] = []
    /// The questions of the part that runs for them.
    private var noted: Questions?
    /// What was written since the questions got their answers.
    private var accepted = AcceptedSince()
    /// The rows that have not been sent.
    private var rows = GatheredRows()
    private var hasTurn = false
    /// Whether a part has written.
    private(set) var hasWritten = false

    /// - Parameters:
    ///   - parts: The parts that run in the transaction, perhaps only the first ones of them.
    ///   - idleTime: The time after which the server ends the transaction if its relay is silent.
    init(of parts: [SharedPart<Turn>], in transaction: Transaction, idleTime: Duration) {
        self.transaction = transaction
        stage = .noting
        asked = parts.map { questions(of: $0).map { Asked(questions: $0) } }
        stage = .running(-1)
        transaction.add(.limits(idleTime: idleTime))
        transaction.add(.turn)
    }

    /// A part that fails before it asks fails again when its turn has come.
    private func questions(of part: SharedPart<Turn>) -> Questions? {
        noted = nil
        do { try part.run(self) } catch {}
        return noted
    }

    /// Runs the next part.
    func runNext(_ part: SharedPart<Turn>) throws {
        guard case .running(let last) = stage else { preconditionFailure("a part inside a part") }
        stage = .running(last + 1)
        try part.run(self)
    }

    /// Sends what is left.
    func finish() { addRows() }

    // MARK: As a part uses it

    /// The answers to the questions of a piece of work.
    ///
    /// - Throws: `PostgreSQLError`; the error of the work.
    func ask<Value>(
        _ sealer: Sealer,
        _ work: (PostgreSQLTables) throws -> Value
    ) throws -> Value {
        func overTables(_ questions: Questions) throws -> Value {
            try work(PostgreSQLTables(questions: questions, sealer: sealer))
        }
        guard case .running(let part) = stage else {
            noted = try Questions.noted(of: overTables)
            throw Noted()
        }
        // A part that asks again, after its first questions, asks alone.
        guard asked.indices.contains(part), let first = asked[part] else {
            return try Questions.ask(overTables) { try run($0) }
        }
        asked[part] = nil
        let answers = first.questions.asked.isEmpty && hasTurn ? [] : first.answers
        if let answers, accepted.keeps(first.questions) {
            do {
                return try first.questions.answer(overTables, with: answers, beside: accepted)
            } catch is AcceptedSince.Unclear {}
        }
        return try first.questions.answer(overTables, with: try send(first.questions, of: part))
    }

    /// Sends the questions of a part, and of those behind it up to one that begins without questions.
    private func send(_ questions: Questions, of part: Int) throws -> [Rows] {
        let behind = asked.indices.dropFirst(part + 1).prefix(Self.together - 1)
            .prefix { asked[$0] != nil }
        var journey = Journey()
        journey.add(questions.asked)
        for other in behind { journey.add(asked[other]?.questions.asked ?? []) }
        guard !journey.isEmpty else { return [] }
        var rows = try journey.run { try run($0) }[...]
        accepted = AcceptedSince()
        func take(_ questions: Questions) -> [Rows] {
            defer { rows = rows.dropFirst(questions.asked.count) }
            return Array(rows.prefix(questions.asked.count))
        }
        let answers = take(questions)
        for other in behind {
            if let questions = asked[other]?.questions { asked[other]?.answers = take(questions) }
        }
        return answers
    }

    /// Runs statements that read.
    func run(_ statements: [Statement]) throws -> [Rows] {
        try requireTurn()
        hasTurn = true
        addRows()
        return try transaction.run(statements)
    }

    /// Adds statements that write, whose answers nobody needs.
    ///
    /// - Throws: `PostgreSQLError` while the turn is waited for: `COMMIT` must not be under way to a server
    ///   at which the transaction has not begun.
    func write(_ statements: [Statement]) throws {
        try requireTurn()
        guard !statements.isEmpty else { return }
        try beginWriting()
        accepted.addOthers()
        addRows()
        for statement in statements { transaction.add(statement) }
    }

    /// Adds what a decision writes.
    ///
    /// - Throws: As ``write(_:)``.
    func write(_ writes: [RelayWrite], _ prepared: PreparedWrites) throws {
        guard !writes.isEmpty else { return }
        try beginWriting()
        accepted.add(writes)
        if !prepared.statements.isEmpty { addRows() }
        for statement in prepared.statements { transaction.add(statement) }
        rows.add(prepared.rows)
    }

    /// Runs statements that write.
    func change(_ statements: [Statement]) throws -> [Rows] {
        try requireTurn()
        hasWritten = true
        accepted.addOthers()
        return try run(statements)
    }

    private func beginWriting() throws {
        if !hasTurn { _ = try run([]) }
        hasWritten = true
    }

    /// Ends a part that runs for its questions, and has none to begin with.
    private func requireTurn() throws {
        if case .noting = stage { throw Noted() }
    }

    private func addRows() {
        for statement in rows.statements { transaction.add(statement) }
        rows = GatheredRows()
    }
}

extension Statement {
    /// Bounds the time for which the transaction waits for others, and the time for which it may be silent.
    fileprivate static func limits(idleTime: Duration) -> Statement {
        let idle = Int(idleTime / .milliseconds(1))
        return Statement(
            """
            SELECT set_config('lock_timeout', $1, true),
                set_config('idle_in_transaction_session_timeout', $2, true)
            """,
            [.text("\(idle * 2)"), .text("\(idle)")]
        )
    }

    /// Waits for the transaction that writes, and keeps others from writing.
    static var turn: Statement {
        Statement("SELECT id FROM relay_turn WHERE id = 0 FOR UPDATE")
    }
}
