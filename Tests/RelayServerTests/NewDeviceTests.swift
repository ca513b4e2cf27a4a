import HTTPTypes
import Hummingbird
import MemoCore
import MemoTexts
import Outbox
import OutboxCore
import RelayAPI
import Testing
import Waiting

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

// The time limit ends a test that hangs; no test comes near it.
@Suite("A new device of an account that has others", .timeLimit(.minutes(60)))
struct NewDeviceTests {
    private let fixture: RelayFixture
    private let relay: Relay<SQLiteRelayStore>

    init() throws {
        fixture = try RelayFixture()
        relay = try fixture.open { $0.publicURL = PublicURL("https://relay.example.org") }
    }

    /// Signs two devices in. The first one asks for its code in French, the second one in Japanese.
    private func tokens(
        of relay: Relay<SQLiteRelayStore>
    ) async throws -> (first: String, second: String) {
        let first = try await fixture.token(relay, language: "fr-CH")
        fixture.clock.advance(.seconds(60))
        return (first, try await fixture.token(relay, language: "ja"))
    }

    /// The decoded mails about devices.
    private func announcements(_ relay: Relay<SQLiteRelayStore>) async throws -> [DecodedMail] {
        try await fixture.deliver(relay)
        return try fixture.transport.mails.map { try DecodedMail($0.message) }
            .filter { !$0.text.contains(/\n\d{6,10}\n/) }
    }

    /// The path of the link in the one mail about a device.
    private func link() async throws -> String {
        let mails = try await announcements(relay)
        try #require(mails.count == 1)
        let found = mails[0].text.firstMatch(of: /\nhttps:\/\/relay\.example\.org(\/\S+)\n/)
        return String(try #require(found).1)
    }

    private func visit(
        _ path: String,
        _ method: HTTPRequest.Method,
        _ headers: HTTPFields = [:]
    ) async throws -> ApplicationAnswer {
        try await relay.application().test(.router) {
            try await $0.execute(uri: path, method: method, headers: headers)
        }
    }

    private func isSignedIn(_ token: String) async throws -> Bool {
        try await relay.application().test(.router) {
            try await $0.send(RelayPath.devices, method: .get, token: token).status == .ok
        }
    }

    @Test("is announced to the account's own mailbox, in the language of the sign-in before, once")
    func announced() async throws {
        _ = try await tokens(of: relay)
        for relay in [relay, try fixture.open()] {
            let mails = try await announcements(relay)
            #expect(mails.count == 1)
            let text = try #require(mails.first).text
            #expect(text.contains(Language.french.text(MailText.deviceIntroduction).description))
            #expect(text.contains("\nlaptop\n\(MailDate.numbers(fixture.clock.now))\n"))
            #expect(!text.contains("{"))
        }
        #expect(fixture.transport.mails.last?.recipient == RelayFixture.address)
    }

    @Test("is announced after a restart, however the relay ended")
    func restart() async throws {
        _ = try await tokens(of: relay)
        let reopened = try fixture.open()
        #expect(try await announcements(reopened).count == 1)
        fixture.clock.advance(.seconds(3600))
        #expect(try await announcements(try fixture.open()).count == 1)
    }

    @Test("is announced with the place in the web app where the relay knows no URL of its own")
    func place() async throws {
        let relay = try fixture.open()
        _ = try await tokens(of: relay)
        let text = try #require(try await announcements(relay).first).text
        #expect(text.contains(Language.french.text(AppText.devices).description))
        #expect(!text.contains("http"))
    }

    @Test("is announced in a mail that shows neither token nor code nor network")
    func nothingSecret() async throws {
        let (first, second) = try await tokens(of: relay)
        let text = try #require(try await announcements(relay).first).text
        let code = try await fixture.newestCode(relay)
        for secret in [first, second, code, "127.0.0.1", "unknown", RelayFixture.address] {
            #expect(!text.contains(secret))
        }
    }

    @Test("is signed out by the button of the link's page, and by nothing less")
    func signedOut() async throws {
        let (first, second) = try await tokens(of: relay)
        let link = try await link()
        for method in [HTTPRequest.Method.get, .head, .get] {
            #expect(try await visit(link, method).status == .ok)
        }
        #expect(try await isSignedIn(second))
        let page = try await visit(link, .get)
        #expect(String(buffer: page.body).contains(#"<form method="post">"#))
        #expect(String(buffer: page.body).contains(#"<html lang="fr" dir="ltr">"#))
        #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'self'") == true)
        #expect(page.headers[.contentSecurityPolicy]?.contains("script-src") == false)
        // The page names the device as the mail does, and has a style that its policy admits.
        let time = MailDate.numbers(fixture.clock.now)
        #expect(
            String(buffer: page.body).contains(
                "<p class=\"device\"><bdi>laptop</bdi> <small>\(time)</small>"
            )
        )
        #expect(page.headers[.contentSecurityPolicy]?.contains("style-src 'self';") == true)
        #expect(page.headers[.contentSecurityPolicy]?.contains("unsafe") == false)
        let style = try #require(
            String(buffer: page.body).firstMatch(of: /<link rel="stylesheet" href="([^"]+)">/)
        ).1
        let sheet = try await visit(String(style), .get)
        #expect(sheet.status == .ok && sheet.headers[.contentType] == "text/css; charset=utf-8")
        #expect(String(buffer: sheet.body).contains("prefers-color-scheme: dark"))
        let foreign: HTTPFields = [.origin: "https://evil.example"]
        #expect(try await visit(link, .post, foreign).status == .forbidden)
        #expect(try await isSignedIn(second))
        // The answer may have been lost.
        for _ in 0..<2 { #expect(try await visit(link, .post).status == .ok) }
        #expect(try await !isSignedIn(second))
        #expect(try await isSignedIn(first))
    }

    @Test("has its name on the page as text, whatever the name is")
    func hostileName() {
        #expect(
            RelayPage.escaped("<script>'\"&amp;") == "&lt;script&gt;&#39;&quot;&amp;amp;"
        )
    }

    @Test("is not signed out by a link that is changed, another relay's, or a month old")
    func otherLinks() async throws {
        let (_, second) = try await tokens(of: relay)
        let link = try await link()
        let other = try RelayFixture().open()
        let device = try #require(
            try await relay.store.device(tokenHash: DeviceToken(text: second).hash)
        )
        let new = NewDevice(
            id: device.id,
            account: device.account,
            address: device.address,
            language: .french
        )
        let right = RevocationRight(to: new, expiresAt: WallTime(millisecondsSinceEpoch: .max))
        var wrong = ["/revoke/none", "/revoke/\(right.text(other.secret))", link + "0"]
        for index in link.indices.dropFirst("/revoke/".count) {
            var changed = link
            changed.replaceSubrange(index...index, with: link[index] == "0" ? "1" : "0")
            wrong.append(changed)
        }
        wrong.append(link.uppercased().replacing("/REVOKE/", with: "/revoke/"))
        for link in wrong {
            for method in [HTTPRequest.Method.get, .post] {
                #expect(try await visit(link, method).status == .gone, "\(link)")
            }
        }
        #expect(try await isSignedIn(second))
        let headers: HTTPFields = [.acceptLanguage: "xx, de-AT;q=0.9, en"]
        // At the end of the link's time, and a day later.
        for time in [RevocationRight.lifetime, .seconds(86_400)] {
            fixture.clock.advance(time)
            let late = try await visit(link, .post, headers)
            #expect(late.status == .gone)
            #expect(String(buffer: late.body).contains(#"<html lang="de""#))
            #expect(try await isSignedIn(second))
        }
    }

    @Test(
        "is announced with the same bytes until the mail server has taken the mail, or refused it",
        arguments: [MailOutcome.accepted, .refused("smtp.550")]
    )
    func mailServer(last: MailOutcome) async throws {
        let relay = try fixture.open { $0.mailPolicy.base = Milliseconds(10) }
        _ = try await tokens(of: relay)
        let before = fixture.transport.mails.count
        fixture.transport.answer(.tryLater("smtp.451"))
        async let drained: Void = fixture.deliver(relay)
        try await waitUntil { fixture.transport.mails.count >= before + 3 }
        // Longer than any code lives.
        fixture.clock.advance(.seconds(3 * 86_400))
        let soFar = fixture.transport.mails.count
        try await waitUntil { fixture.transport.mails.count >= soFar + 2 }
        fixture.transport.answer(last)
        try await drained
        #expect(Set(fixture.transport.mails.dropFirst(before).map(\.message)).count == 1)
        #expect(try relay.store.codes.counts() == OutboxCounts())
        for line in fixture.log.lines {
            let text = "\(line)"
            #expect(!text.contains("revoke") && !text.contains("laptop"))
            #expect(!text.contains("example.org"))
        }
        let isLogged = fixture.log.lines.contains { $0.message == "mail about a device refused" }
        #expect(isLogged == (last != .accepted))
    }
}
