import OutboxCore
import RelayRules
import Testing

@testable import RelayServer

/// Attempts that end before a server is asked.
@Suite("A mail to an address without a mailbox")
struct OwnMailboxDeliveryTests {
    private struct Broken: Error {}

    private func outcome(
        lastFailure: ReasonCode? = nil,
        _ directory: @escaping IMAPTransport.Directory
    ) async throws -> MailOutcome {
        let shared = try #require(IMAPMailbox(url: "imap://127.0.0.1:1", credentials: nil))
        let transport = IMAPTransport(
            mailbox: shared,
            firstWait: .seconds(60),
            clock: { WallTime(millisecondsSinceEpoch: 0) },
            directory: directory
        )
        var mail = QueuedMail(
            sender: "relay@relay.example",
            recipient: "max@inbox.example",
            messageID: "1@relay.example",
            message: []
        )
        mail.earlier.lastFailure = lastFailure
        return await transport.deliver(mail)
    }

    @Test("waits where there is none, and where its row cannot be read")
    func waits() async throws {
        #expect(try await outcome { _ in nil } == .tryLater("imap.mailbox"))
        #expect(try await outcome { _ in throw Broken() } == .tryLater("imap.mailbox.unreadable"))
    }

    @Test("has been handed over where it is looked after")
    func lookedAfter() async throws {
        let outcome = try await outcome(lastFailure: "imap.settling.2") { _ in nil }
        #expect(outcome == .settling("imap.settling.2", after: nil))
    }

    @Test("is looked for under the recipient's address")
    func recipient() async throws {
        let outcome = try await outcome { address in
            #expect(address.text == "max@inbox.example")
            return OwnMailbox(address: address, user: "u", password: "p")
        }
        #expect(outcome == .tryLater("imap.connect"))
    }
}
