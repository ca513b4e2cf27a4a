/// Asks a resolver all that a judgement of a domain needs.
package enum DomainInquiry {
    /// The greatest number of questions. Those beyond it count as not answered.
    package static let questions = 120

    /// Judges a domain.
    ///
    /// - Parameters:
    ///   - mail: The domain.
    ///   - ask: Answers some questions, together. A question without an answer counts as not answered.
    /// - Returns: The final findings.
    package static func findings(
        about mail: MailDomain,
        _ ask: (Set<DNSQuestion>) -> [DNSQuestion: DNSAnswer]
    ) -> [Finding] {
        let judge = DomainJudge(mail)
        var answers: [DNSQuestion: DNSAnswer] = [:]
        while true {
            let judgement = judge.judge(answers)
            guard !judgement.missing.isEmpty else { return judgement.findings }
            let room = max(questions - answers.count, 0)
            let chosen = Set(judgement.missing.sorted { "\($0)" < "\($1)" }.prefix(room))
            let found = chosen.isEmpty ? [:] : ask(chosen)
            for question in judgement.missing {
                answers[question] =
                    found[question]
                    ?? .failed(chosen.contains(question) ? .timeout : .tooMany)
            }
        }
    }
}
