/// One thing that was found out about a domain and its mail server.
package struct Finding: Hashable, Sendable {
    /// The subject that a finding belongs to.
    package enum Area: String, CaseIterable, Hashable, Sendable {
        case spf = "SPF"
        case dkim = "DKIM"
        case dmarc = "DMARC"
        case mx = "MX"
        case ptr = "PTR"
        case tls = "TLS"
    }

    /// The meaning of a finding for the mails.
    package enum Verdict: String, Hashable, Sendable {
        case fine
        /// The mails can leave; the sentence says what would be better.
        case advice
        /// Mailboxes will refuse mails, or take them for spam.
        case wrong
        /// There was no answer that says it.
        case unknown
    }

    package let area: Area
    package let verdict: Verdict
    /// The finding, and the remedy where one is needed.
    package let sentence: String
    /// The record that was found, fit for a terminal; `nil` for none.
    package let found: String?
    /// The record that should be there, as a line of a zone file; `nil` where none has to change.
    package let record: String?

    package init(
        _ area: Area,
        _ verdict: Verdict,
        _ sentence: String,
        found: String? = nil,
        record: String? = nil
    ) {
        self.area = area
        self.verdict = verdict
        self.sentence = sentence
        self.found = found
        self.record = record
    }
}

/// Records as text.
package enum RecordText {
    /// The greatest number of a record's bytes that are shown.
    package static let shown = 600

    /// Bytes of a stranger as they may be shown in a terminal: others than printable ASCII as `?`, and cut
    /// behind ``shown``.
    package static func shown(_ bytes: [UInt8]) -> String {
        let text = bytes.prefix(shown).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }
        let rest = bytes.count > shown ? " … (\(bytes.count) bytes)" : ""
        return String(decoding: text, as: UTF8.self) + rest
    }

    /// A TXT record as a line of a zone file, in strings of at most 250 bytes.
    ///
    /// - Parameter value: Printable ASCII.
    package static func line(_ name: String, txt value: String) -> String {
        var strings: [String] = []
        var rest = Array(value.utf8)[...]
        repeat {
            let text = String(decoding: rest.prefix(250), as: UTF8.self)
            rest = rest.dropFirst(250)
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            strings.append("\"\(escaped)\"")
        } while !rest.isEmpty
        return "\(name). IN TXT \(strings.joined(separator: " "))"
    }
}
