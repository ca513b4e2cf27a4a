/// The answers so far, as a judgement reads them. It notes the questions that nobody has asked yet: a
/// judgement that has noted some is not final, and is made again with their answers.
struct DNSTable {
    private let answers: [DNSQuestion: DNSAnswer]
    private(set) var missing: Set<DNSQuestion> = []

    init(_ answers: [DNSQuestion: DNSAnswer]) {
        self.answers = answers
    }

    /// - Returns: `nil` for a question that nobody has asked yet.
    mutating func answer(to question: DNSQuestion) -> DNSAnswer? {
        let answer = answers[question]
        if answer == nil { missing.insert(question) }
        return answer
    }

    /// The TXT records of a name that begin as a kind of record does.
    ///
    /// - Returns: `nil` while the answer is missing.
    mutating func texts(
        of name: String,
        _ isOfKind: ([UInt8]) -> Bool
    ) -> Result<[[UInt8]], DNSFailure>? {
        switch answer(to: .texts(name)) {
        case .texts(let texts): .success(texts.filter(isOfKind))
        case .failed(let failure): .failure(failure)
        case .addresses, .exchangers, .names, .nothing: .success([])
        case nil: nil
        }
    }

    /// The addresses of a name, of both versions or of one.
    ///
    /// - Returns: `nil` while an answer is missing.
    mutating func addresses(
        of name: String,
        version: Int? = nil
    ) -> Result<[IPAddress], DNSFailure>? {
        var found: [IPAddress] = []
        var isWhole = true
        var failure: DNSFailure?
        for question in [DNSQuestion.ipv4(name), .ipv6(name)]
        where version == nil || question == (version == 4 ? .ipv4(name) : .ipv6(name)) {
            switch answer(to: question) {
            case .addresses(let addresses): found += addresses
            case .failed(let reason): failure = reason
            case .texts, .exchangers, .names, .nothing: break
            case nil: isWhole = false
            }
        }
        guard isWhole else { return nil }
        if let failure { return .failure(failure) }
        return .success(found)
    }
}

extension DNSFailure: Error {}
