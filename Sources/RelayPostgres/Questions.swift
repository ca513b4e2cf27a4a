import PostgreSQL

/// The questions of a piece of work to the database, and their answers.
///
/// The work runs twice: first it notes its statements, and finds nothing; then it gets the answers. So all
/// its statements take one journey to the server. The work asks the same questions in the same order
/// whatever the answers are, and has no effect.
final class Questions {
    private var statements: [Statement] = []
    /// `nil` while statements are noted.
    private var answers: [Rows]?
    /// The number of answers that were handed out.
    private var handedOut = 0

    private init() {}

    /// Runs the work.
    ///
    /// - Parameters:
    ///   - work: The work, over its questions.
    ///   - send: Sends the statements, at least one, and returns an answer for each.
    /// - Throws: The error of `send`; the error of the work over the answers.
    static func ask<Value>(
        _ work: (Questions) throws -> Value,
        send: ([Statement]) throws -> [Rows]
    ) throws -> Value {
        let questions = Questions()
        let value = try work(questions)
        guard !questions.statements.isEmpty else { return value }
        questions.answers = try send(questions.statements)
        return try work(questions)
    }

    /// The first row of an answer; `nil` where there is none, and while statements are noted.
    func first<Value>(
        _ statement: Statement,
        _ read: (Row) throws -> Value
    ) throws -> Value? {
        try rows(statement)?.first.map(read)
    }

    /// The rows of an answer; none while statements are noted.
    func list<Value>(
        _ statement: Statement,
        _ read: (Row) throws -> Value
    ) throws -> [Value] {
        try rows(statement)?.map(read) ?? []
    }

    private func rows(_ statement: Statement) -> Rows? {
        guard let answers else {
            statements.append(statement)
            return nil
        }
        defer { handedOut += 1 }
        precondition(handedOut < answers.count, "a work asks the same questions again")
        return answers[handedOut]
    }
}
