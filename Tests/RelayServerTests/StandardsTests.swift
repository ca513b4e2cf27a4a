import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// The standards for problems and for repeated requests, sentence by sentence. ``LimitFieldTests``
/// do the same for the fields of the limits.
@Suite("What the standards say of answers")
struct StandardsTests {
    private let fixture: RelayFixture
    private static let key = HTTPField.Name("\(RelayHeader.idempotencyKey)") ?? .accept

    /// RFC 9110, sections 15.5 and 15.6, and RFC 6585.
    private static let phrases = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
        413: "Content Too Large",
        422: "Unprocessable Content", 410: "Gone", 428: "Precondition Required",
        429: "Too Many Requests",
        500: "Internal Server Error",
        503: "Service Unavailable",
    ]

    init() throws {
        fixture = try RelayFixture()
    }

    @Test("holds of problems (RFC 9457)")
    func problems() async throws {
        let relay = try fixture.open { $0.memoLimits.device = DeviceLimits(perMinute: 1) }
        let token = try await fixture.token(relay)
        var titles: [String: String] = [:]
        try await relay.application().test(.router) { client in
            let id = OperationID.new()
            _ = try await client.put(id, MemoRequest(text: "x"), token: token)
            let answers = [
                try await client.send("/v1/nothing", method: .get),
                try await client.send("/v1/nothing/else", method: .get),
                try await client.send(RelayPath.devices, method: .get),
                try await client.send(RelayPath.devices, method: .patch),
                try await client.post(RelayPath.verifications, ["address": "none"]),
                try await client.send(
                    RelayPath.verifications,
                    method: .post,
                    Array(repeating: 0x20, count: RelayLimits.bodyLength + 1)
                ),
                try await client.put(.new(), MemoRequest(text: "x"), token: token),
                try await client.put(id, MemoRequest(text: "canary"), token: token),
            ]
            for answer in answers {
                // Section 3: "the media type application/problem+json".
                #expect(answer.headers[.contentType] == "application/problem+json")
                let problem = try answer.decoded(Problem.self)
                // Section 3.1.2: "Generators MUST use the same status code in the actual HTTP
                // response".
                #expect(problem.status == answer.status.code)
                if problem.type == "about:blank" {
                    // Section 4.2.1: "When about:blank is used, the title SHOULD be the same as the
                    // recommended HTTP status phrase for that code".
                    #expect(problem.title == Self.phrases[problem.status])
                } else {
                    // Section 3.1.1: "it is RECOMMENDED that absolute URIs be used in type".
                    #expect(problem.type.hasPrefix("https://"))
                }
                // Section 3.1.3: the title "SHOULD NOT change from occurrence to occurrence of the
                // problem".
                let known = titles.updateValue(problem.title, forKey: "\(problem.code.name)")
                #expect(known == nil || known == problem.title)
                // Section 3.1.4: the detail "ought to focus on helping the client correct the
                // problem". It quotes nothing of the request.
                let members = try answer.decoded([String: JSONValue].self)
                let detail = try #require(members["detail"]?.text)
                #expect(detail.hasSuffix(".") && !detail.contains("canary"))
                for name in members.keys where !["violated-policies"].contains(name) {
                    // Section 4: names "SHOULD start with a letter", comprise ALPHA, DIGIT and "_",
                    // and "be three characters or longer". The draft of the limits has the hyphen.
                    #expect(name.count >= 3 && name.allSatisfy(\.isLetter))
                }
            }
        }
        #expect(titles.count == 7, "\(titles)")
        for code in ProblemCode.allCases {
            #expect(code.httpStatus.reasonPhrase == Self.phrases[code.status])
        }
    }

    @Test("holds of repeated requests (draft-ietf-httpapi-idempotency-key-header-07)")
    func repetitions() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let memo = MemoRequest(text: "x")
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            func send(_ key: String?, _ memo: MemoRequest) async throws -> ApplicationAnswer {
                let fields: HTTPFields = key.map { [Self.key: $0] } ?? [:]
                return try await client.post(
                    RelayPath.send,
                    memo,
                    token: token,
                    headers: fields
                )
            }
            // Section 2.1: "Its value MUST be a String". Section 2.2: "It is RECOMMENDED that a UUID
            // [...] be used".
            let first = try await send("\"\(id)\"", memo)
            #expect(first.status == .accepted)
            // Section 2.6: "the resource SHOULD respond with the result of the previously completed
            // operation".
            let second = try await send("\"\(id)\"", memo)
            #expect(second.status == first.status && second.body == first.body)
            // Section 2.7: "If the Idempotency-Key request header is missing [...] the resource
            // SHOULD reply with an HTTP 400 status code with body containing a link pointing to
            // relevant documentation."
            let missing = try await send(nil, memo)
            #expect(try missing.problemCode() == .idempotencyKeyMissing)
            #expect(missing.status == .badRequest)
            // Section 2.7: "If there is an attempt to reuse an idempotency key with a different
            // request payload, the resource SHOULD reply with a HTTP 422 status code with body
            // containing a link pointing to the relevant documentation."
            let other = try await send("\"\(id)\"", MemoRequest(text: "y"))
            #expect(try other.problemCode() == .idempotencyKeyReused)
            #expect(other.status.code == 422)
            for answer in [missing, other] {
                let detail = try answer.decoded([String: JSONValue].self)["detail"]?.text
                #expect(detail?.contains("\(RelayPath.description)") == true)
            }
        }
        // Section 2.3: "The resource SHOULD define such expiration policy and publish it in the
        // documentation."
        let parameter = ServedDescription.own.root["components"]?["parameters"]?["IdempotencyKey"]
        #expect(parameter?["description"]?.text?.contains("forgets no") == true)
        #expect(parameter?["required"] == .bool(true))
    }
}
