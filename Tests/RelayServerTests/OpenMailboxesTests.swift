import OutboxCore
import RelayRules
import Synchronization
import Testing

@testable import RelayServer

@Suite("The mailboxes that a relay appends to")
struct OpenMailboxesTests {
    private let clock = HandClock()

    private func mailbox(_ user: String, password: String = "p") throws -> IMAPMailbox {
        let credentials = MailServer.Credentials(user: user, password: password)
        return try #require(IMAPMailbox(url: "imap://127.0.0.1", credentials: credentials))
    }

    private func open() -> OpenMailboxes {
        OpenMailboxes(rest: .seconds(60), now: clock.now)
    }

    @Test("each has connections of its own, which stay the same")
    func separate() throws {
        let open = open()
        let (max, eve) = (try mailbox("max"), try mailbox("eve"))
        let first = try #require(open.open(max))
        #expect(open.open(eve)?.connections !== first.connections)
        #expect(open.open(eve)?.searches !== first.searches)
        #expect(open.open(max)?.connections === first.connections)
        #expect(open.open(max)?.searches === first.searches)
    }

    @Test("one that refuses the login rests, alone, and not with another password")
    func rest() throws {
        let open = open()
        let (max, eve) = (try mailbox("max"), try mailbox("eve"))
        _ = open.open(max)
        open.letRest(max)
        #expect(open.open(max) == nil)
        #expect(open.open(eve) != nil)
        #expect(open.open(try mailbox("max", password: "new")) != nil)
        clock.advance(.seconds(59))
        #expect(open.open(max) == nil)
        clock.advance(.seconds(1))
        #expect(open.open(max) != nil)
    }

    @Test("beyond the number of those that are kept, the one used longest ago is forgotten")
    func bounded() throws {
        let open = open()
        let first = try mailbox("0")
        _ = open.open(first)
        open.letRest(first)
        for number in 1..<OpenMailboxes.mostKept {
            clock.advance(.milliseconds(1))
            _ = open.open(try mailbox("\(number)"))
        }
        #expect(open.open(first) == nil)
        _ = open.open(try mailbox("one more"))
        #expect(open.open(first) != nil)
    }

    @Test("mailboxes of addresses are on the server of all, in folders of their own or of all")
    func ofAddresses() throws {
        let url = "imap://imap.example.org/All"
        let shared = try #require(IMAPMailbox(url: url, credentials: nil))
        #expect(shared.server.credentials == nil)
        // As if there were a password, because single addresses have some.
        #expect(shared.server.security == .require)
        let address = try #require(MailAddress("max@inbox.example"))
        for (folder, expected) in [(nil, "All"), ("Memos", "Memos")] as [(String?, String)] {
            let own = OwnMailbox(address: address, user: "u", password: "p", folder: folder)
            let mailbox = shared.mailbox(of: try #require(own))
            #expect(mailbox.folder == expected)
            #expect(
                mailbox.server.credentials == MailServer.Credentials(user: "u", password: "p")
            )
        }
    }

    @Test(
        "a mailbox is stored and read as it was given, or not given at all",
        arguments: [
            ("u", "p", nil, true), ("Mäx 1", "a\"b\\c ü", "Memos & [more]", true),
            (String(repeating: "u", count: 1_000), String(repeating: "p", count: 1_000), nil, true),
            (String(repeating: "u", count: 1_001), "p", nil, false), ("", "p", nil, false),
            ("u", "", nil, false), ("u\r\nA1 LOGOUT", "p", nil, false), ("u", "p\u{0}", nil, false),
            ("u", "p\u{7F}", nil, false), ("u", "p", "", false), ("u", "p", "a\"b", false),
            ("u", "p", String(repeating: "x", count: 201), false),
        ] as [(String, String, String?, Bool)]
    )
    func stored(user: String, password: String, folder: String?, isTaken: Bool) throws {
        let address = try #require(MailAddress("Max@inbox.example"))
        let mailbox = OwnMailbox(
            address: address,
            user: user,
            password: password,
            folder: folder
        )
        #expect((mailbox != nil) == isTaken)
        guard let mailbox else { return }
        let bytes = mailbox.encoded()
        #expect(OwnMailbox(decoding: bytes) == mailbox)
        for length in bytes.indices {
            #expect(OwnMailbox(decoding: Array(bytes.prefix(length))) == nil)
        }
        #expect(OwnMailbox(decoding: bytes + [0]) == nil)
        #expect(OwnMailbox(decoding: [2] + bytes.dropFirst()) == nil)
    }

    @Test("the stored form of a mailbox is the documented one")
    func storedForm() throws {
        let address = try #require(MailAddress("a@b.c"))
        let mailbox = OwnMailbox(address: address, user: "u", password: "pw", folder: "F")
        let stored = try #require(mailbox).encoded()
        let expected: [[UInt8]] = [
            [1, 0, 5], Array("a@b.c".utf8), [0, 1], Array("u".utf8), [0, 2], Array("pw".utf8),
            [0, 1], Array("F".utf8),
        ]
        #expect(stored == Array(expected.joined()))
    }

    @Test("a mailbox shows neither user nor password where it is printed")
    func printed() throws {
        let address = try #require(MailAddress("max@inbox.example"))
        let own = try #require(OwnMailbox(address: address, user: "anna", password: "secret"))
        var text = ""
        dump(own.credentials, to: &text)
        #expect(!"\(own)".contains("anna") && !"\(own)".contains("secret"))
        #expect(!text.contains("anna") && !text.contains("secret"))
    }
}

private final class HandClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: @Sendable () -> ContinuousClock.Instant {
        { self.time.withLock { $0 } }
    }

    func advance(_ span: Duration) {
        time.withLock { $0 += span }
    }
}
