import CourierTesting
import Foundation
import MemoCore
import MemoKit
import OutboxCore
import Testing
import WireCore

@testable import MemoCourier

@Suite("An attempt to deliver")
struct RelayClientTests {
    static let id = OperationID(
        time: WallTime(millisecondsSinceEpoch: 1_700_000_000_000),
        random: (1, 2)
    )
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = WallTime(millisecondsSinceEpoch: 784_111_777_000)

    /// One attempt against a server that does `step`.
    private func outcome(
        _ step: ScriptedServer.Step,
        limits: RelayClient.Limits = .init()
    ) async throws -> DeliveryMachine.Outcome {
        let server = ScriptedServer(step)
        defer { server.stop() }
        return try await outcome(at: server.url, limits: limits)
    }

    private func outcome(
        at url: String,
        limits: RelayClient.Limits = .init()
    ) async throws -> DeliveryMachine.Outcome {
        let client = RelayClient(limits: limits)
        do {
            let answer = try await client.exchange(
                .memo(
                    Self.id,
                    token: Array("secret".utf8),
                    body: Array(#"{"text":"x"}"#.utf8)
                ),
                at: RelayLocation(url)
            )
            return answer.outcome(for: Self.id, now: Self.now)
        } catch let error as RelayFailure {
            return error.outcome
        }
    }

    @Test("is done when the relay says that it holds this very memo")
    func accepted() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        #expect(try await outcome(at: server.url) == .done)
        let request = try #require(server.requests.first)
        let head = request.head.lowercased()
        #expect(head.hasPrefix("put /v1/memos/\(Self.id) http/1.1"))
        #expect(head.contains("authorization: bearer secret"))
        #expect(head.contains("content-type: application/json"))
        #expect(!head.contains("cookie"))
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"text":"x"}"#)
    }

    @Test("is not done when the answer is about another memo")
    func otherMemo() async throws {
        let other = OperationID(high: 1, low: 2).description
        #expect(
            try await outcome(.answer { _ in HTTP.accepted(other) }) == .retry(.notOurAnswer)
        )
    }

    @Test("is tried again when the connection is cut before, after or inside the answer")
    func cut() async throws {
        let whole = HTTP.accepted(Self.id.description)
        let steps: [ScriptedServer.Step] = [
            .cutBefore, .cutAfterRequest, .cutInside("HTTP/1.1 20"),
            .cutInside(String(whole.prefix(60))), .cutInside(String(whole.dropLast(3))),
        ]
        for step in steps {
            let outcome = try await outcome(step)
            // Cut within the fields, an answer cannot be told from a short and complete one.
            let expected: [DeliveryMachine.Outcome] = [
                .retry("network.connection-lost"), .retry(.notOurAnswer),
            ]
            #expect(expected.contains(outcome), "\(step)")
        }
    }

    @Test("waits for the network when nobody listens, or the name is unknown")
    func unreachable() async throws {
        let server = ScriptedServer(.cutBefore)
        server.stop()
        #expect(try await outcome(at: server.url) == .retryOnNetwork("network.unreachable"))
        #expect(
            try await outcome(at: "https://relay.invalid")
                == .retryOnNetwork("network.unreachable")
        )
    }

    @Test("is given up for now when the relay is silent, or slower than the limit")
    func hanging() async throws {
        let silent = RelayClient.Limits(
            idle: .milliseconds(300),
            time: ExchangeTime(base: .seconds(3600))
        )
        let slow = RelayClient.Limits(
            idle: .seconds(3600),
            time: ExchangeTime(base: Milliseconds(300))
        )
        for limits in [silent, slow] {
            let server = ScriptedServer(.hang)
            defer { server.stop() }
            // A machine so busy that no request is sent within the limit says nothing of it.
            var outcome = DeliveryMachine.Outcome.done
            while server.requests.isEmpty {
                outcome = try await self.outcome(at: server.url, limits: limits)
            }
            #expect(outcome == .retry("network.timed-out"))
        }
    }

    @Test("is tried again after a failure of the relay or of a proxy, whatever its page says")
    func failures() async throws {
        let page = "<html>Bad Gateway</html>"
        #expect(
            try await outcome(
                .answer { _ in
                    HTTP.problem(500, code: "internal-error", retryable: true)
                }
            ) == .retry("relay.http.500")
        )
        #expect(
            try await outcome(
                .answer { _ in HTTP.response("502 Bad Gateway", type: "text/html", body: page) }
            )
                == .retry("relay.http.502")
        )
    }

    @Test("never takes a captive portal for the relay, with whatever status it answers")
    func captivePortal() async throws {
        let page = "<html>Please sign in</html>"
        for status in [200, 202, 204, 400, 401, 403, 413, 422] {
            let outcome = try await outcome(
                .answer { _ in
                    HTTP.response("\(status) Portal", type: "text/html", body: page)
                }
            )
            #expect(outcome == .retry(.notOurAnswer), "\(status)")
        }
        for body in ["{}", "[]", "", #"{"id":1}"#, #"{"status":"accepted"}"#] {
            let outcome = try await outcome(
                .answer { _ in HTTP.response("200 OK", body: body) }
            )
            #expect(outcome == .retry(.notOurAnswer), "\(body)")
        }
    }

    @Test("does not follow a redirect: neither token nor memo reaches the other server")
    func redirect() async throws {
        let elsewhere = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { elsewhere.stop() }
        for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
            let field = "Location: \(elsewhere.url)/v1/memos/\(Self.id)\r\n"
            let outcome = try await outcome(
                .answer { _ in HTTP.response(status, fields: field, body: "") }
            )
            #expect(outcome == .retry(.notOurAnswer), "\(status)")
        }
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("waits as long as the relay asks: seconds, a date, rubbish, nothing")
    func retryAfter() async throws {
        let values: [(String, Milliseconds?)] = [
            ("Retry-After: 30\r\n", .seconds(30)), ("Retry-After: \t30 \r\n", .seconds(30)),
            (
                "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                    + "Retry-After: Sun, 06 Nov 1994 08:49:57 GMT\r\n", .seconds(20)
            ),
            ("Retry-After: soon\r\n", nil), ("Retry-After: -5\r\n", nil), ("", nil),
            // As a browser reads it: the values in one, which is no wait.
            ("Retry-After: 30\r\nRetry-After: 40\r\n", nil),
        ]
        for status in [429, 503] {
            for (fields, wait) in values {
                let outcome = try await outcome(
                    .answer { _ in
                        HTTP.problem(
                            status,
                            code: "too-many-requests",
                            retryable: true,
                            fields: fields
                        )
                    }
                )
                #expect(
                    outcome
                        == .retryAfter(wait, ReasonCode(utf8: Array("relay.http.\(status)".utf8))),
                    "\(status) \(fields)"
                )
            }
        }
    }

    @Test("is parked only on the relay's own permanent refusal")
    func refusals() async throws {
        let table: [(Int, String, Bool, DeliveryMachine.Outcome)] = [
            (401, "unauthorized", false, .park("unauthorized")),
            (401, "token-revoked", false, .park("unauthorized")),
            (403, "unauthorized", false, .park("unauthorized")),
            (403, "cross-origin", false, .retry("relay.http.403")),
            (403, "code-rejected", false, .retry("relay.http.403")),
            (400, "malformed-body", false, .park("relay.malformed-body")),
            (413, "too-large", false, .park("relay.too-large")),
            (422, "idempotency-key-reused", false, .park("relay.idempotency-key-reused")),
            (422, "idempotency-key-reused", true, .retry("relay.http.422")),
            (422, "of-another-service", false, .retry(.notOurAnswer)),
            (409, "unavailable", true, .retry("relay.http.409")),
            (404, "not-found", false, .retry("relay.http.404")),
        ]
        for (status, code, retryable, expected) in table {
            let outcome = try await outcome(
                .answer { _ in HTTP.problem(status, code: code, retryable: retryable) }
            )
            #expect(outcome == expected, "\(status) \(code)")
        }
    }

    @Test("reads no more of an answer than the largest that a relay gives")
    func endless() async throws {
        let body = String(repeating: " ", count: 1_000_000)
        #expect(
            try await outcome(.answer { _ in HTTP.response("200 OK", body: body) })
                == .retry(.notOurAnswer)
        )
    }

    @Test("ends when its task is cancelled, long before its limits", .timeLimit(.minutes(60)))
    func cancelled() async throws {
        let server = ScriptedServer(.hang)
        defer { server.stop() }
        // Only the cancellation can end this exchange.
        let limits = RelayClient.Limits(
            idle: .seconds(3600),
            time: ExchangeTime(base: .seconds(3600))
        )
        let task = Task { try await outcome(at: server.url, limits: limits) }
        for await _ in server.arrivals { break }
        task.cancel()
        #expect(try await task.value == .retry("cancelled"))
    }

    @Test("has more time with a long memo: as long as a slow uplink needs")
    func slowUplink() async throws {
        let server = ScriptedServer(
            .answer { request in
                // Longer than the times that a short memo has.
                Thread.sleep(forTimeInterval: 2.5)
                return HTTP.accepted(request.id)
            }
        )
        defer { server.stop() }
        let limits = RelayClient.Limits(
            idle: .seconds(1),
            time: ExchangeTime(base: .seconds(1), slowestUplink: 1)
        )
        let answer = try await RelayClient(limits: limits).exchange(
            .memo(Self.id, token: [], body: [UInt8](repeating: 0x61, count: 600_000)),
            at: RelayLocation(server.url)
        )
        #expect(answer.outcome(for: Self.id, now: Self.now) == .done)
    }

    @Test("the longest silence grows with the memo, as a slow uplink needs")
    func silence() {
        let limits = RelayClient.Limits(
            idle: .seconds(30),
            time: ExchangeTime(base: .seconds(60), slowestUplink: 4)
        )
        #expect(limits.idle(for: 0) == .seconds(30))
        #expect(limits.idle(for: 40_000) == .seconds(40))
        #expect(limits.total(for: 40_000) == .seconds(70))
    }

    @Test("a memo of several megabytes goes through")
    func large() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let body = [UInt8](repeating: 0x61, count: 6 << 20)
        let answer = try await RelayClient().exchange(
            .memo(Self.id, token: Array("t".utf8), body: body),
            at: RelayLocation(server.url)
        )
        #expect(answer.outcome(for: Self.id, now: Self.now) == .done)
        #expect(server.requests.first?.body == body)
    }
}
