import CourierTesting
import Foundation
import MemoCore
import MemoKit
import MemoTexts
import Outbox
import OutboxCore
import Synchronization
import Testing
import Waiting

@testable import MemoCourier

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

    /// Signs in and out where a courier of this process delivers.
    private static func door(_ box: MemoBox) -> SignIn {
        SignIn(box: box, client: RelayClient()) {
            _ = Task { try await Courier(box: box).deliver() }
        }
    }

    private func signIn(
        _ device: Device,
        _ server: ScriptedServer,
        codes: String?...
    ) async -> SignIn.Failure? {
        var codes = codes
        do {
            try await Self.door(device.box).signIn(
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
        try await Self.door(device.box).signIn(
            "a@b.example",
            at: RelayLocation(server.url),
            in: language
        ) { _ in "123456" }
        let body = try #require(server.requests.first?.body)
        let asked = try JSONDecoder().decode(AskedCode.self, from: Data(body))
        #expect(asked.address == "a@b.example" && asked.language == language.tag.description)
        #expect(asked.takesCode)
    }

    @Test("every failure has a sentence of its own in every language")
    func sentences() {
        let errors: [SignIn.Failure] = [
            .relay(.unreachable, at: "URL"), .relay(.untrusted, at: ""), .relay(.notARelay, at: ""),
            .relay(.invalidAddress, at: ""), .relay(.codeRejected, at: ""),
            .relay(.tooManyRequests(seconds: 60), at: ""),
            .relay(.tooManyRequests(seconds: nil), at: ""),
            .relay(.relayFailed(status: 500), at: ""), .relay(.handleMissing, at: ""),
            .device(.busy), .noCode, .noTriesLeft, .expired,
        ]
        for language in Language.allCases {
            let sentences = errors.map { $0.sentence(in: language) }
            #expect(Set(sentences).count == errors.count)
            #expect(sentences[5].contains("60") && sentences[7].contains("500"))
            #expect(sentences[0].contains("URL"))
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

    @Test("a relay that has mailed its codes asks for a long one, and digits are not tried")
    func longCode() async throws {
        let server = ScriptedServer(
            .answer { request in
                request.head.contains("confirm")
                    ? HTTP.response("200 OK", body: #"{"token":"granted"}"#)
                    : HTTP.response(
                        "202 Accepted",
                        body: #"{"digits":6,"handle":"own","longCode":true}"#
                    )
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        #expect(await signIn(device, server) == .noCode)
        #expect(try device.box.openVerification()?.mailed.isLong == true)
        var complaints: [SignIn.Complaint?] = []
        var lines = ["", "123456", "7kqx 29ab cdef ghjk mnp0"]
        try await Self.door(device.box).signIn(
            "a@b.example",
            at: RelayLocation(server.url),
            in: .english
        ) { complaint in
            complaints.append(complaint)
            return lines.removeFirst()
        }
        #expect(complaints.suffix(2) == [.longCode, .longCode])
        let sentence = complaints.last??.sentence(in: .english)
        #expect(sentence?.contains("long code") == true)
        let tried = server.requests.filter { $0.head.contains("confirm") }.map(\.body)
        #expect(tried.count == 1)
        #expect(String(decoding: tried[0], as: UTF8.self).contains("7KQX29ABCDEFGHJKMNP0"))
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
        try await Self.door(device.box).signIn(
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
        #expect(wrong == .noTriesLeft)
        #expect(await signIn(device, server, codes: nil) == .noCode)
        #expect(try !device.box.hasAccount())
    }

    @Test("a code that is too old is told as expired, with the way to a new one, and forgotten")
    func expired() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        let elapsed = Mutex<Int64>(0)
        let signIn = SignIn(
            box: device.box,
            client: RelayClient(),
            memosWait: {},
            now: {
                OutboxClock.system.wallTime().advanced(by: .seconds(elapsed.withLock { $0 }))
            }
        )
        let relay = try RelayLocation(server.url)
        await #expect(throws: SignIn.Failure.expired) {
            try await signIn.signIn("a@b.example", at: relay, in: .english) { _ in
                elapsed.withLock { $0 = 600 }
                return "000000"
            }
        }
        #expect(SignIn.Failure.expired.sentence(in: .english).contains("Run the command again"))
        #expect(try device.box.openVerification() == nil)
        #expect(try device.box.accountStanding() == .signedOut)
    }

    /// Signs in and keeps what is said before each question.
    private func complaints(
        _ device: Device,
        _ server: ScriptedServer,
        codes: String?...
    ) async throws -> [SignIn.Complaint?] {
        var codes = codes
        var complaints: [SignIn.Complaint?] = []
        _ = try? await Self.door(device.box).signIn(
            "a@b.example",
            at: RelayLocation(server.url),
            in: .english
        ) { complaint in
            complaints.append(complaint)
            return codes.isEmpty ? nil : codes.removeFirst()
        }
        return complaints
    }

    @Test("an abandoned sign-in goes on with the code that was mailed, also after wrong codes")
    func continued() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        #expect(
            try await complaints(device, server, codes: "000000", nil) == [
                nil, .wrong(triesLeft: 4),
            ]
        )
        #expect(try device.box.accountStanding() == .codeAsked)
        let again = try await complaints(device, server, codes: "000001", "123456")
        guard case .continued = again.first else {
            Issue.record("\(again)")
            return
        }
        #expect(again.dropFirst() == [.wrong(triesLeft: 3)])
        #expect(try device.box.accountStanding() == .signedIn)
        #expect(
            server.requests.count { !$0.head.contains("confirm") && $0.head.hasPrefix("POST") } == 1
        )
        #expect(try device.box.openVerification() == nil)
    }

    @Test("Enter alone asks for a new code, and where there is none yet, the old one is good")
    func newCode() async throws {
        let asked = Mutex(0)
        let server = ScriptedServer(
            .answer { request in
                if request.head.contains("confirm") {
                    return HTTP.response("200 OK", body: #"{"token":"granted"}"#)
                }
                let number = asked.withLock {
                    $0 += 1
                    return $0
                }
                return number == 2
                    ? HTTP.problem(
                        429,
                        code: "too-many-requests",
                        retryable: true,
                        fields: "Retry-After: 18\r\n"
                    ) : HTTP.response("202 Accepted", body: "{}")
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        _ = try await complaints(device, server, codes: nil)
        let again = try await complaints(device, server, codes: "", "", "123456")
        #expect(again.count == 3)
        #expect(again[1] == .noNewCode(.tooManyRequests(seconds: 18)))
        #expect(again[2] == nil)
        #expect(try device.box.accountStanding() == .signedIn)
        #expect(asked.withLock { $0 } == 3)
    }

    @Test("a code for another address, or of another relay, is no code of this sign-in")
    func otherAddress() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        try device.box.setOpenVerification(
            OpenVerification(
                relay: server.url,
                address: "other@b.example",
                mailed: MailedCode(handle: [], digits: 6),
                code: OpenCode(mailedAt: OutboxClock.system.wallTime())
            )
        )
        #expect(try await complaints(device, server, codes: nil) == [nil])
    }

    @Test("a relay that cannot be reached, or is none, is told apart")
    func noRelay() async throws {
        let device = try Device(signedInAt: nil)
        let portal = ScriptedServer(
            .answer { _ in HTTP.response("200 OK", type: "text/html", body: "<html>") }
        )
        defer { portal.stop() }
        #expect(await signIn(device, portal, codes: "123456") == .relay(.notARelay, at: portal.url))
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
            await signIn(device, busy, codes: "123456")
                == .relay(.tooManyRequests(seconds: 60), at: busy.url)
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
                    == .relay(.relayFailed(status: 503), at: failing.url)
            )
        }
        let gone = ScriptedServer(.cutBefore)
        gone.stop()
        #expect(await signIn(device, gone, codes: "123456") == .relay(.unreachable, at: gone.url))
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
        try await waitUntil { try device.box.historyEntry(id)?.status == .sent }
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
            let answer = try await Self.door(device.box)
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
        #expect(try await Self.door(device.box).signOut())
        #expect(server.requests.map(\.head).first?.hasPrefix("DELETE /v1/devices/current") == true)
        #expect(try !device.box.hasAccount())
        #expect(try device.box.history().map(\.text) == ["memo"])
        await #expect(throws: SignIn.Failure.device(.noAccount)) {
            try await Self.door(device.box).signOut()
        }
    }

    @Test("a token that cannot be kept is revoked at once")
    func notKept() async throws {
        let server = Self.relay()
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        #expect(chmod(device.folder.key, 0o644) == 0)
        // One that has not read the key yet.
        let signIn = Self.door(try MemoBox(folder: device.folder, keys: .file))
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
        #expect(try await !Self.door(device.box).signOut())
        #expect(try !device.box.hasAccount())
    }
}

/// The body of a request for a code.
private struct AskedCode: Decodable {
    let address: String
    let language: String
    let takesCode: Bool
}
