import MemoCore
import MemoTexts
import OutboxCore
import Testing

@Suite("Reasons in a person's words")
struct ReasonWordsTests {
    fileprivate static func reason(_ code: String) -> ReasonCode {
        ReasonCode(utf8: Array(code.utf8))
    }

    /// A row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        var situation: String
        var code: String
        var text: AppText

        var words: ReasonWords? {
            let reason = ReasonWordsTests.reason(code)
            return switch situation {
            case "queued": ReasonWords(reason, isParked: false)
            case "parked": ReasonWords(reason, isParked: true)
            case "entry": ReasonWords(unreadable: reason)
            case "bounced": ReasonWords(.bounced(reason))
            case "expired": ReasonWords(.expired(reason))
            case "refused": ReasonWords(.refused(reason))
            case "quarantined": ReasonWords(.quarantined(reason))
            default: nil
            }
        }

        var testDescription: String { "\(situation) \(code)" }
    }

    static let rows: [Row] =
        ([
            ("queued", "unauthorized", .reasonSignedOut),
            ("queued", "no-handler", .reasonUnsupported),
            ("queued", "network.unreachable", .reasonOffline),
            ("queued", "network.timed-out", .reasonRelay),
            ("queued", "network.connection-lost", .reasonRelay),
            ("queued", "relay.http.429", .reasonWait), ("queued", "relay.http.503", .reasonWait),
            ("queued", "relay.not-our-answer", .reasonForeign),
            ("queued", "relay.untrusted-certificate", .reasonUntrusted),
            ("queued", "relay.http.500", .reasonFailed),
            ("queued", "relay.http.404", .reasonFailed),
            ("queued", "account.not-stored", .reasonFailed), ("queued", "cancelled", .reasonFailed),
            ("queued", "account.not-read", .reasonFailed), ("queued", "", .reasonFailed),
            ("queued", "something.new", .reasonFailed),
            ("parked", "unauthorized", .reasonSignedOut),
            ("parked", "no-handler", .reasonUnsupported),
            ("parked", "relay.too-large", .reasonRefused),
            ("parked", "network.unreachable", .reasonRefused),
            ("parked", "something.new", .reasonRefused), ("parked", "", .reasonRefused),
            ("entry", "quarantine.record", .reasonUnreadable), ("entry", "", .reasonUnreadable),
            ("quarantined", "quarantine.envelope", .reasonUnreadable),
            ("bounced", "smtp.550", .reasonBounced), ("bounced", "smtp.552", .reasonBounced),
            ("bounced", "dsn.5.1.1", .reasonNoMailbox), ("bounced", "dsn.5.1.2", .reasonNoMailbox),
            ("bounced", "dsn.5.1.10", .reasonNoMailbox), ("bounced", "dsn.5.1.8", .reasonBounced),
            ("bounced", "dsn.5.2.2", .reasonMailboxFull), ("bounced", "dsn.5.7.1", .reasonBounced),
            ("bounced", "dsn.5.1", .reasonBounced), ("bounced", "dsn.5.2.2.1", .reasonBounced),
            ("bounced", "dsn.5.x.2", .reasonBounced), ("bounced", "dsn.5..", .reasonBounced),
            ("bounced", "dsn.5.1.99999999999999999999", .reasonBounced),
            ("bounced", "resend.suppressed", .reasonBounced), ("bounced", "", .reasonBounced),
            ("expired", "smtp.450", .reasonExpired), ("expired", "", .reasonExpired),
            ("refused", "relay.too-large", .reasonRefused),
            ("refused", "mail.malformed", .reasonRefused),
            ("refused", "quarantine.record", .reasonLost), ("refused", "", .reasonRefused),
        ] as [(String, String, AppText)]).map { Row(situation: $0.0, code: $0.1, text: $0.2) }

    @Test("each code has its sentence", arguments: rows)
    func table(row: Row) throws {
        #expect(try #require(row.words).text == row.text)
    }

    @Test(
        "the code stands in parentheses in all ten languages, and is never empty",
        arguments: rows
    )
    func code(row: Row) throws {
        let words = try #require(row.words)
        let code = String(decoding: words.code, as: UTF8.self)
        #expect(!code.isEmpty)
        #expect(row.code.isEmpty || code == row.code)
        for language in Language.allCases {
            let sentence = String(
                decoding: language.text(words.text).filled(with: words.values),
                as: UTF8.self
            )
            let isInParentheses = sentence.contains("(\(code))") || sentence.contains("（\(code)）")
            #expect(isInParentheses, "\(language): \(sentence)")
        }
    }

    @Test("a memo that has not failed has no words of a failure")
    func none() {
        for status: HistoryStatus in [
            .queued, .sent, .delivered, .deleted, .resent, .unknown([0x61]),
        ] {
            #expect(ReasonWords(status) == nil)
            #expect(!status.isFailure)
        }
        for status: HistoryStatus in [
            .quarantined("a"), .bounced("a"), .expired("a"), .refused("a"),
        ] {
            #expect(status.explanation != nil)
            #expect(status.isFailure)
        }
    }
}
