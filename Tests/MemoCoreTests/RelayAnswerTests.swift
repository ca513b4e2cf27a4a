import Foundation
import MemoCore
import MemoTexts
import OutboxCore
import Testing
import WireCore

@Suite("An answer to a memo")
struct RelayAnswerTests {
    private let id = OperationID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0001)

    private func answer(
        _ status: Int,
        _ body: String = "",
        type: StaticString = "application/json",
        wait: String = ""
    ) -> RelayAnswer {
        RelayAnswer(
            status: status,
            contentType: type.bytes,
            retryAfter: Array(wait.utf8),
            body: Array(body.utf8)
        )
    }

    private func outcome(of answer: RelayAnswer) -> DeliveryMachine.Outcome {
        answer.outcome(for: id, now: .distantPast)
    }

    private func outcome(
        _ status: Int,
        _ code: String,
        retryable: Bool = false,
        wait: String = ""
    ) -> DeliveryMachine.Outcome {
        let body = #"{"status":\#(status),"code":"\#(code)","retryable":\#(retryable)}"#
        return outcome(
            of: answer(status, body, type: "application/problem+json", wait: wait)
        )
    }

    @Test("is done when it names this very memo, and is weather when it names another")
    func held() {
        func holding(_ id: OperationID) -> RelayAnswer {
            answer(202, #"{"id":"\#(id)","status":"accepted"}"#)
        }
        #expect(outcome(of: holding(id)) == .done)
        let other = OperationID(high: id.high, low: id.low ^ 1)
        #expect(outcome(of: holding(other)) == .retry(.notOurAnswer))
    }

    @Test("without a word of the relay's own is weather, whatever its status")
    func foreign() {
        for status in [200, 202, 204, 302, 400, 401, 403, 413, 422] {
            #expect(outcome(of: answer(status)) == .retry(.notOurAnswer))
            #expect(outcome(status, "of-another-service") == .retry(.notOurAnswer))
        }
        #expect(outcome(of: answer(404)) == .retry("relay.http.404"))
        #expect(outcome(of: answer(502)) == .retry("relay.http.502"))
    }

    @Test("that is not the relay's own holds memos for ten minutes at most, the relay's for a day")
    func foreignWait() {
        func waits(_ answer: RelayAnswer) -> [Int64?] {
            let now = WallTime.distantPast
            return [answer.wait(now: now)?.count, answer.allowance(now: now)?.wait.count]
        }
        func answer(_ body: String, _ type: StaticString, seconds: Int) -> RelayAnswer {
            RelayAnswer(
                status: 429,
                contentType: type.bytes,
                retryAfter: Array("\(seconds)".utf8),
                rateLimit: Array("\"gateway\";r=0;t=\(seconds)".utf8),
                body: Array(body.utf8)
            )
        }
        let problem = #"{"status":429,"code":"quota-exceeded","retryable":true}"#
        for seconds in [7, 600, 601, 86_400] {
            let own = answer(problem, "application/problem+json", seconds: seconds)
            #expect(waits(own) == [Int64(seconds) * 1000, Int64(seconds) * 1000])
            let most = Int64(min(seconds, 600)) * 1000
            for (body, type) in [
                ("<html>", "text/html"), (problem, "application/json; x"),
                (
                    #"{"status":429,"code":"slow-down","retryable":true}"#,
                    "application/problem+json"
                ),
            ] as [(String, StaticString)] {
                #expect(waits(answer(body, type, seconds: seconds)).allSatisfy { $0 == most })
            }
        }
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

    @Test(
        "grants a token only if a header field can hold it",
        arguments: [
            ("granted", true), ("~!", true), ("", false), ("a b", false), ("a\\nb", false),
            ("ü", false), ("\\u0000", false), (String(repeating: "x", count: 256), true),
            (String(repeating: "x", count: 257), false),
        ]
    )
    func token(text: String, isUsable: Bool) {
        let granted = answer(200, #"{"token":"\#(text)"}"#).grantedToken
        #expect(granted == (isUsable ? Array(text.utf8) : nil))
        let foreign = answer(200, #"{"token":"\#(text)"}"#, type: "text/html")
        #expect(foreign.grantedToken == nil)
    }

    @Test("confirms a revocation by 204, or by saying that the token is not valid")
    func revocation() {
        func problem(_ status: Int, _ code: String) -> RelayAnswer {
            let body = #"{"status":\#(status),"code":"\#(code)","retryable":false}"#
            return answer(status, body, type: "application/problem+json")
        }
        #expect(answer(204).confirmsRevocation)
        #expect(problem(401, "unauthorized").confirmsRevocation)
        #expect(problem(401, "token-revoked").confirmsRevocation)
        #expect(!problem(403, "cross-origin").confirmsRevocation)
        #expect(!problem(404, "not-found").confirmsRevocation)
        #expect(!answer(200, "{}").confirmsRevocation && !answer(401).confirmsRevocation)
    }

    @Test("waits as asked, which is no attempt, also where no time is named")
    func waits() {
        for status in [429, 503] {
            let reason = ReasonCode(utf8: Array("relay.http.\(status)".utf8))
            #expect(
                outcome(status, "unavailable", wait: "7")
                    == .retryAfter(.seconds(7), reason)
            )
            #expect(outcome(of: answer(status)) == .retryAfter(nil, reason))
        }
        #expect(
            outcome(409, "unavailable", wait: "7")
                == .retryAfter(.seconds(7), "relay.http.409")
        )
        #expect(outcome(409, "unavailable") == .retry("relay.http.409"))
    }
}

@Suite("What a person at sign-in is told")
struct RelayTroubleTests {
    private func trouble(
        _ status: Int,
        _ code: String? = nil,
        wait: String = ""
    ) -> RelayTrouble {
        let body = #"{"status":\#(status),"code":"\#(code ?? "")","retryable":true}"#
        let type = code == nil ? "text/html" : "application/problem+json"
        let answer = RelayAnswer(
            status: status,
            contentType: Array(type.utf8),
            retryAfter: Array(wait.utf8),
            body: Array(body.utf8)
        )
        return RelayTrouble(answer, now: .distantPast)
    }

    @Test("is the relay's problem where the relay states one, and else what the status says")
    func kinds() {
        #expect(trouble(400, "invalid-address") == .invalidAddress)
        #expect(trouble(403, "code-rejected") == .codeRejected)
        #expect(trouble(400, "handle-missing") == .handleMissing)
        #expect(trouble(403, "cross-origin") == .relayFailed(status: 403))
        #expect(trouble(503, "unavailable") == .relayFailed(status: 503))
        #expect(trouble(502) == .relayFailed(status: 502))
        for status in [200, 302, 400, 403, 404] { #expect(trouble(status) == .notARelay) }
        #expect(trouble(400, "of-another-service") == .notARelay)
    }

    @Test("names whole seconds after which the relay does not refuse, and no wait beyond an hour")
    func waits() {
        for code in ["too-many-requests", nil] {
            for (field, seconds) in [
                ("0", 1), ("1", 1), ("7", 7), ("3600", 3600), ("3601", nil), ("", nil),
                ("soon", nil), ("99999999999999999999", nil),
            ] as [(String, Int64?)] {
                // A gateway cannot ask for more than ten minutes.
                let isCut = code == nil && ["3600", "3601", "99999999999999999999"].contains(field)
                #expect(
                    trouble(429, code, wait: field)
                        == .tooManyRequests(seconds: isCut ? 600 : seconds)
                )
            }
        }
        // Dates name whole seconds, but a device's clock does not.
        let answer = RelayAnswer(
            status: 429,
            retryAfter: Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
        )
        let now = WallTime(millisecondsSinceEpoch: 784_111_777_000 - 6001)
        #expect(RelayTrouble(answer, now: now) == .tooManyRequests(seconds: 7))
    }

    @Test("has a sentence in every language, with its values filled in")
    func sentences() {
        let troubles: [RelayTrouble] = [
            .notARelay, .invalidAddress, .codeRejected, .tooManyRequests(seconds: 42),
            .tooManyRequests(seconds: nil), .relayFailed(status: 503), .unreachable, .handleMissing,
        ]
        for language in Language.allCases {
            let sentences = troubles.map { trouble in
                String(
                    decoding: language.text(trouble.text).filled(with: trouble.values),
                    as: UTF8.self
                )
            }
            #expect(Set(sentences).count == troubles.count)
            #expect(sentences.allSatisfy { !$0.contains("{") })
            #expect(sentences[3].contains("42") && sentences[5].contains("503"))
        }
    }
}

@Suite("The codes of problems")
struct ProblemCodeTests {
    @Test("that docs/wire-format.md lists are known, with their statuses, and there are no others")
    func codes() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../docs/wire-format.md")
        let text = try String(contentsOf: page.standardized, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.contains(/^\| [45][0-9][0-9] \|/) }
        let listed = rows.flatMap { row in
            row.matches(of: /`([a-z]+(?:-[a-z]+)+|unauthorized|unavailable)`/).map { match in
                (name: String(match.1), status: Int(row.dropFirst(2).prefix(3)), row: row)
            }
        }
        for (name, status, row) in listed {
            let code = try #require(ProblemCode(name: Array(name.utf8)), "\(name)")
            #expect(code.status == status, "\(name)")
            #expect(code.isRetryable == row.hasSuffix("| yes |"), "\(name)")
        }
        #expect(Set(listed.map(\.name)) == Set(ProblemCode.allCases.map { "\($0.name)" }))
    }
}
