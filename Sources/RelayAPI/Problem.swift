public import MemoCore

/// The body of every answer that is not a success
/// ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)). It never quotes the request.
public struct Problem: Codable, Hashable, Sendable {
    /// A URI that names the type of problem; `about:blank` when ``code`` says everything.
    public var type: String
    /// The name of the ``type``, in English; for `about:blank`, of the ``status``.
    public var title: String
    /// A short English sentence for a person that says what is wrong.
    public var detail: String
    /// The HTTP status.
    public var status: Int
    /// The stable name of the problem, for a program.
    public var code: ProblemCode
    /// Whether the same request may succeed later.
    public var retryable: Bool
    /// The names of the limits that the request exceeds; with
    /// ``/MemoCore/ProblemCode/quotaExceeded``, and with ``/MemoCore/ProblemCode/unavailable`` for
    /// the limit of the whole service.
    public var violatedPolicies: [String]?

    private enum CodingKeys: String, CodingKey {
        case type, title, detail, status, code, retryable
        case violatedPolicies = "violated-policies"
    }

    /// Makes a problem with the status of its code.
    public init(
        _ code: ProblemCode,
        title: String,
        detail: String,
        type: String = "about:blank",
        violatedPolicies: [String]? = nil
    ) {
        self.code = code
        self.title = title
        self.detail = detail
        self.type = type
        self.violatedPolicies = violatedPolicies
        status = code.status
        retryable = code.isRetryable
    }
}

extension ProblemCode: Codable {
    public init(from decoder: any Decoder) throws {
        let name = try String(from: decoder)
        guard let code = ProblemCode(name: Array(name.utf8)) else { throw MalformedJSON() }
        self = code
    }

    public func encode(to encoder: any Encoder) throws {
        try name.description.encode(to: encoder)
    }
}
