import Foundation
import MemoCore
import MemoKit
import OutboxCore
import Synchronization
import Testing

@testable import MemoDelivery

@Suite("Signing in and out")
struct SignInTests {
    /// A relay that knows one code.
    private static func relay(requests status: String = "202 Accepted") -> ScriptedServer {
        ScriptedServer(
            .answer { request in
                let body = String(decoding: request.body, as: UTF8.self)
                if request.head.hasPrefix("DELETE") { return "HTTP/1.1 204 No Content\r\n\r\n" }
                if request.head.hasPrefix("PUT") { return HTTP.accepted(request.id) }
                if !request.head.contains("confirm") { return HTTP.response(status, body: "{}") }
                return body.contains("123456")
                    ? HTTP.response("200 OK", body: #"{"token":"granted"}"#)
                    : HTTP.problem(403, code: "code-rejected", retryable: false)
            }
        )
    }

    private func signIn(
        _ device: Device,
        _ server: ScriptedServer,
        codes: String?...
    ) async -> SignIn.Failure? {
        var codes = codes
        do {
            try await SignIn(box: device.box).signIn(
                "a@b.example",
                at: RelayLocation(server.url),
                in: .english
            ) { _ in codes.isEmpty ? nil : codes.removeFirst() }
            return nil
        } catch {
            return error as? SignIn.Failure
        }
    }

    @Test("the code is traded for a token, which is kept")
    func success() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        #expect(await signIn(device, server, codes: " 123 456 ") == nil)
        #expect(
            try device.box.account()
                == Account(relay: server.url, address: "a@b.example", token: "granted")
        )
    }

    @Test("the relay is asked for a mail in the person's language", arguments: Language.allCases)
    func language(language: Language) async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        try await SignIn(box: device.box).signIn(
            "a@b.example",
            at: RelayLocation(server.url),
            in: language
        ) { _ in "123456" }
        let body = try #require(server.requests.first?.body)
        let asked = try JSONDecoder().decode([String: String].self, from: Data(body))
        #expect(asked == ["address": "a@b.example", "language": language.tag.description])
    }

    @Test("every failure has a sentence of its own in every language")
    func sentences() {
        let errors: [SignIn.Failure] = [
            .relay(.unreachable), .relay(.untrusted), .relay(.notARelay), .relay(.invalidAddress),
            .relay(.codeRejected), .relay(.tooManyRequests(seconds: 60)),
            .relay(.tooManyRequests(seconds: nil)), .relay(.relayFailed(status: 500)),
            .relay(.handleMissing), .device(.busy), .noCode,
        ]
        for language in Language.allCases {
            let sentences = errors.map { $0.sentence(in: language) }
            #expect(Set(sentences).count == errors.count)
            #expect(sentences[5].contains("60") && sentences[7].contains("500"))
        }
    }

    @Test("a wrong code may be tried again, rubbish costs no try")
    func wrongCode() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        #expect(
            await signIn(device, server, codes: "", "12345", "abcdef", "000000", "123456") == nil
        )
        #expect(server.requests.count { $0.head.contains("confirm") } == 2)
        #expect(try device.box.hasAccount())
    }

    @Test(
        "a code is tried with the handle of its own request, once it has all its digits",
        arguments: [8, 10]
    )
    func handle(digits: Int) async throws {
        let server = ScriptedServer(
            .answer { request in
                request.head.contains("confirm")
                    ? HTTP.response("200 OK", body: #"{"token":"granted"}"#)
                    : HTTP.response("202 Accepted", body: #"{"digits":\#(digits),"handle":"own"}"#)
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        var complaints: [SignIn.Complaint?] = []
        let code: String = digits == 8 ? "12345678" : "1234567890"
        var codes = ["123456", "\(code.prefix(4)) \(code.dropFirst(4))"]
        try await SignIn(box: device.box).signIn(
            "a@b.example",
            at: RelayLocation(server.url),
            in: .english
        ) { complaint in
            complaints.append(complaint)
            return codes.removeFirst()
        }
        #expect(complaints == [nil, .wrongLength(digits)])
        #expect(complaints[1]?.sentence(in: .english) == "A code has \(digits) digits.")
        let bodies = server.requests.filter { $0.head.contains("confirm") }.map(\.body)
        #expect(bodies.count == 1)
        let asked = try JSONDecoder().decode([String: String].self, from: Data(bodies[0]))
        #expect(asked["handle"] == "own" && asked["code"] == code)
    }

    @Test("after five wrong codes, or none, nobody is signed in")
    func noCode() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        let wrong = await signIn(
            device,
            server,
            codes: "000001",
            "000002",
            "000003",
            "000004",
            "000005",
            "123456"
        )
        #expect(wrong == .relay(.codeRejected))
        #expect(await signIn(device, server, codes: nil) == .noCode)
        #expect(try !device.box.hasAccount())
    }

    @Test("a relay that cannot be reached, or is none, is told apart")
    func noRelay() async throws {
        let device = try Device(signedInAt: nil)
        let portal = ScriptedServer(
            .answer { _ in HTTP.response("200 OK", type: "text/html", body: "<html>") }
        )
        defer { portal.stop() }
        #expect(await signIn(device, portal, codes: "123456") == .relay(.notARelay))
        let busy = ScriptedServer(
            .answer { _ in
                HTTP.problem(
                    429,
                    code: "too-many-requests",
                    retryable: true,
                    fields: "Retry-After: 60\r\n"
                )
            }
        )
        defer { busy.stop() }
        #expect(
            await signIn(device, busy, codes: "123456") == .relay(.tooManyRequests(seconds: 60))
        )
        for type in ["application/problem+json", "text/html"] {
            let failing = ScriptedServer(
                .answer { _ in
                    type == "text/html"
                        ? HTTP.response("503 Down", type: type, body: "<html>")
                        : HTTP.problem(
                            503,
                            code: "unavailable",
                            retryable: true,
                            fields: "Retry-After: 60\r\n"
                        )
                }
            )
            defer { failing.stop() }
            #expect(
                await signIn(device, failing, codes: "123456")
                    == .relay(.relayFailed(status: 503))
            )
        }
        let gone = ScriptedServer(.cutBefore)
        gone.stop()
        #expect(await signIn(device, gone, codes: "123456") == .relay(.unreachable))
    }

    @Test("parked memos are queued again before the former token is revoked over the network")
    func queuedBeforeRevoking() async throws {
        let device = try Device(signedInAt: nil)
        let id = try device.box.send("memo")
        let wasParked = Mutex<Bool?>(nil)
        let server = ScriptedServer(
            .answer { request in
                if request.head.hasPrefix("DELETE") {
                    // Delivered by an agent already, it is in the outbox no more.
                    let state = try? device.box.outboxItem(id).state
                    wasParked.withLock { $0 = state == .parked }
                    return "HTTP/1.1 204 No Content\r\n\r\n"
                }
                if request.head.hasPrefix("PUT") { return HTTP.accepted(request.id) }
                return request.head.contains("confirm")
                    ? HTTP.response("200 OK", body: #"{"token":"granted"}"#)
                    : HTTP.response("202 Accepted", body: "{}")
            }
        )
        defer { server.stop() }
        device.signIn(at: server.url, token: "first")
        try await device.parkAll()
        #expect(await signIn(device, server, codes: "123456") == nil)
        #expect(wasParked.withLock { $0 } == false)
        #expect(try await eventually { try device.box.historyEntry(id)?.status == .sent })
    }

    @Test("a former token that could not be revoked is told, and only then")
    func formerStillValid() async throws {
        let gone = Self.relay()
        gone.stop()
        let server = Self.relay()
        defer { server.stop() }
        let relay = try RelayLocation(server.url)
        for (former, isRevoked) in [(nil, true), (server.url, true), (gone.url, false)] {
            let device = try Device(signedInAt: former)
            let answer = try await SignIn(box: device.box)
                .signIn("a@b.example", at: relay, in: .english) { _ in "123456" }
            #expect(answer == isRevoked)
        }
    }

    @Test("signing out revokes the token and forgets the account, and keeps the history")
    func signOut() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        try device.box.send("memo")
        #expect(try await SignIn(box: device.box).signOut())
        #expect(server.requests.map(\.head).first?.hasPrefix("DELETE /v1/devices/current") == true)
        #expect(try !device.box.hasAccount())
        #expect(try device.box.history().map(\.text) == ["memo"])
        await #expect(throws: SignIn.Failure.device(.noAccount)) {
            try await SignIn(box: device.box).signOut()
        }
    }

    @Test("a token that cannot be kept is revoked at once")
    func notKept() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        #expect(chmod(device.folder.key, 0o644) == 0)
        // One that has not read the key yet.
        let signIn = SignIn(box: try MemoBox(folder: device.folder))
        let relay = try RelayLocation(server.url)
        await #expect(throws: SignIn.Failure.device(.keyPermissions(device.folder.key))) {
            try await signIn.signIn("a@b.example", at: relay, in: .english) { _ in "123456" }
        }
        let last = try #require(server.requests.last)
        #expect(last.head.hasPrefix("DELETE /v1/devices/current"))
        #expect(last.head.contains("Bearer granted"))
    }

    @Test("signing out where the relay is gone forgets the account and says that it was not told")
    func signOutOffline() async throws {
        let server = Self.relay()
        server.stop()
        let device = try Device(signedInAt: server.url)
        #expect(try await !SignIn(box: device.box).signOut())
        #expect(try !device.box.hasAccount())
    }
}
