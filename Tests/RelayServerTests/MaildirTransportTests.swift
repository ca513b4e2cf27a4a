import Foundation
import OutboxCore
import TemporaryFolders
import Testing

@testable import RelayServer

@Suite("Delivery into a Maildir")
struct MaildirTransportTests {
    private let folder: TemporaryFolder
    private let mail = QueuedMail(
        sender: "memo@relay.example",
        recipient: "somebody@example.org",
        messageID: "0a1b@relay.example",
        message: Array("Subject: x\r\n\r\nhello=\r\n".utf8)
    )

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a mail is one file in new, with the line ends of this system")
    func oneFile() async throws {
        let transport = try MaildirTransport(path: folder.path)
        #expect(await transport.deliver(mail) == .accepted)
        let names = try folder.names(in: "new")
        #expect(names.count == 1)
        #expect(try folder.names(in: "tmp").isEmpty)
        let bytes = try folder.bytes(of: "new/" + names[0])
        #expect(bytes == Array("Subject: x\n\nhello=\n".utf8))
    }

    @Test("a mail delivered again collapses into the first, also once it was read")
    func collapses() async throws {
        let transport = try MaildirTransport(path: folder.path)
        for _ in 0..<3 { #expect(await transport.deliver(mail) == .accepted) }
        let names = try folder.names(in: "new")
        #expect(names.count == 1)
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/new/\(names[0])",
            toPath: "\(folder.path)/cur/\(names[0]):2,RS"
        )
        #expect(await transport.deliver(mail) == .accepted)
        #expect(try folder.names(in: "new").isEmpty)
        #expect(try folder.names(in: "cur").count == 1)
    }

    @Test("a Message-ID cannot name a file elsewhere")
    func hostileMessageID() async throws {
        let transport = try MaildirTransport(path: folder.path)
        let hostile = QueuedMail(
            sender: mail.sender,
            recipient: mail.recipient,
            messageID: "../../x/\0:y",
            message: mail.message
        )
        #expect(await transport.deliver(hostile) == .accepted)
        #expect(try folder.names(in: "new") == ["------x---y"])
    }

    @Test("a folder that went missing means later, not lost")
    func missingFolder() async throws {
        let transport = try MaildirTransport(path: folder.path)
        try FileManager.default.removeItem(atPath: folder.path + "/new")
        #expect(await transport.deliver(mail) == .tryLater("maildir.2"))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/new",
            withIntermediateDirectories: false
        )
        #expect(await transport.deliver(mail) == .accepted)
    }

    @Test("a path that cannot be a Maildir is an error at the start")
    func impossiblePath() {
        #expect(throws: MaildirError.self) { try MaildirTransport(path: "/dev/null/mail") }
    }
}
