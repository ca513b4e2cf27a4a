import Foundation
import MemoCore
import OutboxCore
import Testing

@Suite("An answer to a memo")
struct MemoAnswerTests {
    private let id = OperationID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0001)

    private func outcome(
        _ status: Int,
        _ code: String,
        retryable: Bool = false,
        wait: Milliseconds? = nil
    ) -> DeliveryMachine.Outcome {
        MemoAnswer(
            status: status,
            problem: RelayProblem(code: Array(code.utf8), isRetryable: retryable),
            wait: wait
        ).outcome(for: id)
    }

    @Test("is done when it names this very memo, and is weather when it names another")
    func held() {
        #expect(MemoAnswer(status: 202, held: id.text).outcome(for: id) == .done)
        let other = OperationID(high: id.high, low: id.low ^ 1)
        #expect(
            MemoAnswer(status: 202, held: other.text).outcome(for: id) == .retry(.notOurAnswer)
        )
    }

    @Test("without a word of the relay's own is weather, whatever its status")
    func foreign() {
        for status in [200, 202, 204, 302, 400, 401, 403, 413, 422] {
            #expect(MemoAnswer(status: status).outcome(for: id) == .retry(.notOurAnswer))
            #expect(outcome(status, "of-another-service") == .retry(.notOurAnswer))
        }
        #expect(MemoAnswer(status: 404).outcome(for: id) == .retry("relay.http.404"))
        #expect(MemoAnswer(status: 502).outcome(for: id) == .retry("relay.http.502"))
    }

    @Test("parks on the relay's own permanent refusal of the memo, and on one of the token")
    func refusals() {
        for status in [400, 413, 422] {
            #expect(outcome(status, "too-large") == .park("relay.too-large"))
            #expect(
                outcome(status, "too-large", retryable: true)
                    == .retry(ReasonCode(utf8: Array("relay.http.\(status)".utf8)))
            )
        }
        for status in [401, 403] {
            #expect(outcome(status, "unauthorized") == .park(.unauthorized))
            #expect(outcome(status, "token-revoked") == .park(.unauthorized))
            #expect(
                outcome(status, "cross-origin")
                    == .retry(ReasonCode(utf8: Array("relay.http.\(status)".utf8)))
            )
        }
    }

    @Test("waits as asked, which is no attempt, also where no time is named")
    func waits() {
        for status in [429, 503] {
            let reason = ReasonCode(utf8: Array("relay.http.\(status)".utf8))
            #expect(
                outcome(status, "unavailable", wait: .seconds(7))
                    == .retryAfter(.seconds(7), reason)
            )
            #expect(MemoAnswer(status: status).outcome(for: id) == .retryAfter(nil, reason))
        }
        #expect(
            outcome(409, "unavailable", wait: .seconds(7))
                == .retryAfter(.seconds(7), "relay.http.409")
        )
        #expect(outcome(409, "unavailable") == .retry("relay.http.409"))
    }
}

@Suite("The codes of problems")
struct ProblemCodeTests {
    @Test("that docs/wire-format.md lists are known")
    func codes() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../docs/wire-format.md")
        let text = try String(contentsOf: page.standardized, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.contains(/^\| [45][0-9][0-9] \|/) }
        let codes = rows.flatMap { row in
            row.matches(of: /`([a-z]+(?:-[a-z]+)+|unauthorized|unavailable)`/).map(\.1)
        }
        #expect(codes.count >= 17)
        for code in codes {
            #expect(RelayProblem(code: Array(code.utf8), isRetryable: false) != nil, "\(code)")
        }
    }
}
