/// A DMARC record ([RFC 7489, section 6.3](https://www.rfc-editor.org/rfc/rfc7489#section-6.3)).
struct DMARCRecord {
    enum Policy: String {
        case none
        case quarantine
        case reject
    }

    let policy: Policy
    /// The policy for names below the domain of the record.
    let belowPolicy: Policy
    /// Whether reports are sent to somebody.
    let hasReports: Bool

    static func isDMARC(_ text: [UInt8]) -> Bool {
        guard let first = TagList(text)?.first else {
            return text.starts(with: Array("v=DMARC1".utf8))
        }
        return first == ("v", "DMARC1")
    }

    /// - Returns: `nil` for a record without a policy that receivers know.
    init?(_ text: [UInt8]) {
        guard let tags = TagList(text), let policy = Self.policy(tags["p"]) else { return nil }
        self.policy = policy
        belowPolicy = Self.policy(tags["sp"]) ?? policy
        hasReports = tags["rua"]?.isEmpty == false
    }

    private static func policy(_ value: String?) -> Policy? {
        value.flatMap { Policy(rawValue: $0.lowercased()) }
    }
}
