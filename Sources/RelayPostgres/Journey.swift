import PostgreSQL

/// The questions of several callers on one journey to the server, as few statements as can be.
///
/// Equal questions are one statement. Questions of one text with other parameters are one statement as well
/// (``/PostgreSQL/Statement/init(asking:)``), if they read one row: for the server a further row of parameters is
/// much less work than a further statement.
struct Journey {
    /// The questions, each different one once.
    private var questions: [Question] = []
    private var places: [Question: Int] = [:]
    /// The place of each question that was added.
    private var added: [Int] = []

    /// Whether no question was added.
    var isEmpty: Bool { added.isEmpty }

    /// Adds the questions of a caller.
    mutating func add(_ questions: [Question]) {
        for question in questions {
            let place = places[question] ?? self.questions.count
            if place == self.questions.count {
                places[question] = place
                self.questions.append(question)
            }
            added.append(place)
        }
    }

    /// Sends the statements.
    ///
    /// - Parameter send: Returns an answer for each of the statements.
    /// - Returns: An answer to each question, in the order in which they were added.
    /// - Throws: The error of `send`.
    func run<Failure>(
        _ send: ([Statement]) throws(Failure) -> [Rows]
    ) throws(Failure) -> [Rows] {
        let groups = groups
        let statements = groups.map { group in
            group.count == 1
                ? questions[group[0]].statement
                : Statement(asking: group.map { questions[$0].statement })
        }
        let rows = try send(statements)
        var answers = [Rows?](repeating: nil, count: questions.count)
        for (group, rows) in zip(groups, rows) {
            let parts = group.count == 1 ? [rows] : rows.parts(group.count)
            for (place, part) in zip(group, parts) { answers[place] = part }
        }
        return added.map { place in
            guard let answer = answers[place] else { preconditionFailure("each question is sent") }
            return answer
        }
    }

    /// The places of the questions that are one statement.
    private var groups: [[Int]] {
        var groups: [[Int]] = []
        var groupOfText: [String: Int] = [:]
        for (place, question) in questions.enumerated() {
            guard question.isOfOneRow, question.statement.hasParameters else {
                groups.append([place])
                continue
            }
            if let group = groupOfText[question.statement.text] {
                groups[group].append(place)
            } else {
                groupOfText[question.statement.text] = groups.count
                groups.append([place])
            }
        }
        return groups
    }
}

/// A statement that reads.
struct Question: Hashable {
    let statement: Statement
    /// Whether the statement reads one row at most.
    let isOfOneRow: Bool
}
