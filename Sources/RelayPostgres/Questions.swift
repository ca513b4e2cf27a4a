import PostgreSQL

/// The questions of a piece of work to the database, and their answers.
///
/// The work runs twice: first its questions are noted, and it finds nothing; then it gets the answers. So all
/// its questions take one journey to the server. The work asks the same questions in the same order
/// whatever the answers are, and has no effect.
final class Questions {
    /// The noted questions.
    private(set) var asked: [Question] = []
    /// Whether the work asks only such questions as ``AcceptedSince`` amends, or leaves as they are.
    private(set) var areAmended = true
    /// `nil` while questions are noted.
    private var answers: [Rows]?
    /// The number of answers that were handed out.
    private var handedOut = 0
    /// The memos that are not in the answers, and count nevertheless.
    private(set) var accepted = AcceptedSince()

    private init() {}

    /// Questions that were noted before.
    init(_ asked: [Question]) { self.asked = asked }

    /// Notes the questions of a work.
    ///
    /// - Throws: The error of the work.
    static func noted<Value>(of work: (Questions) throws -> Value) throws -> Questions {
        let questions = Questions()
        _ = try work(questions)
        return questions
    }

    /// Runs the work over answers.
    ///
    /// - Parameters:
    ///   - work: The work whose questions these are.
    ///   - rows: An answer to each of the questions.
    ///   - accepted: The memos that the transaction has accepted since.
    /// - Throws: The error of the work; ``AcceptedSince/Unclear``.
    func answer<Value>(
        _ work: (Questions) throws -> Value,
        with rows: [Rows],
        beside accepted: AcceptedSince = AcceptedSince()
    ) throws -> Value {
        precondition(rows.count == asked.count, "each question has an answer")
        (answers, handedOut, self.accepted) = (rows, 0, accepted)
        return try work(self)
    }

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
        let questions = try noted(of: work)
        var journey = Journey()
        journey.add(questions.asked)
        let rows = questions.asked.isEmpty ? [] : try journey.run(send)
        return try questions.answer(work, with: rows)
    }

    /// The first row of an answer; `nil` where there is none, and while questions are noted.
    ///
    /// - Parameter isAmended: Whether the answer is right beside memos that were accepted since.
    func first<Value>(
        _ statement: Statement,
        isAmended: Bool = false,
        _ read: (Row) throws -> Value
    ) throws -> Value? {
        try rows(Question(statement: statement, isOfOneRow: true), isAmended: isAmended)?
            .first.map(read)
    }

    /// The rows of an answer; none while questions are noted.
    func list<Value>(
        _ statement: Statement,
        _ read: (Row) throws -> Value
    ) throws -> [Value] {
        try rows(Question(statement: statement, isOfOneRow: false), isAmended: false)?
            .map(read) ?? []
    }

    private func rows(_ question: Question, isAmended: Bool) -> Rows? {
        guard let answers else {
            asked.append(question)
            if !isAmended { areAmended = false }
            return nil
        }
        defer { handedOut += 1 }
        precondition(handedOut < answers.count, "a work asks the same questions again")
        return answers[handedOut]
    }
}
