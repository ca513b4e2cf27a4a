import Foundation
import OutboxCore
import Synchronization
import TemporaryFolders
import Testing

@testable import RelaySQLite
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

    @Test("a mail is taken only when first its bytes are on the disk, and then its name")
    func durable() async throws {
        let steps = Mutex<[String]>([])
        var transport = try MaildirTransport(path: folder.path)
        let (path, message) = (folder.path, Array("Subject: x\n\nhello=\n".utf8))
        transport.sync = { descriptor in
            var status = stat()
            let isWhole = fstat(descriptor, &status) == 0 && status.st_size == message.count
            let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/new")
            steps.withLock { $0.append("bytes \(isWhole) \(names?.count ?? -1)") }
            return true
        }
        transport.syncParent = { file in
            let isThere = FileManager.default.fileExists(atPath: file)
            let isNew = file.hasPrefix(path + "/new/")
            steps.withLock { $0.append("name \(isThere) \(isNew)") }
            return true
        }
        #expect(await transport.deliver(mail) == .accepted)
        #expect(steps.withLock { $0 } == ["bytes true 0", "name true true"])
    }

    @Test("a mail whose bytes or name cannot be synced is tried again")
    func notSynced() async throws {
        for isFile in [true, false] {
            var transport = try MaildirTransport(path: folder.path)
            let fail = { @Sendable () -> Bool in
                errno = EIO
                return false
            }
            if isFile {
                transport.sync = { _ in fail() }
            } else {
                transport.syncParent = { _ in fail() }
            }
            let reason = ReasonCode(utf8: Array("maildir.\(EIO)".utf8))
            #expect(await transport.deliver(mail) == .tryLater(reason))
            if isFile { #expect(try folder.names(in: "new").isEmpty) }
        }
        let transport = try MaildirTransport(path: folder.path)
        #expect(await transport.deliver(mail) == .accepted)
        #expect(try folder.names(in: "new").count == 1)
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

    @Test("a link or a rest in tmp is replaced, and nothing is written through it")
    func occupiedName() async throws {
        let transport = try MaildirTransport(path: folder.path)
        let elsewhere = folder.path + "/elsewhere"
        let name = "0a1b-relay-example"
        try Data("a file of somebody else".utf8).write(to: URL(fileURLWithPath: elsewhere))
        for rest in [elsewhere, nil] {
            let temporary = "\(folder.path)/tmp/\(name)"
            if let rest {
                try FileManager.default.createSymbolicLink(
                    atPath: temporary,
                    withDestinationPath: rest
                )
            } else {
                try Data("the beginning of a mail, and more bytes than the mail has".utf8)
                    .write(to: URL(fileURLWithPath: temporary))
            }
            #expect(await transport.deliver(mail) == .accepted)
            #expect(try folder.names(in: "new") == [name])
            #expect(try folder.names(in: "tmp").isEmpty)
            let type = try FileManager.default.attributesOfItem(
                atPath: "\(folder.path)/new/\(name)"
            )[.type]
            #expect(type as? FileAttributeType == .typeRegular)
            #expect(try folder.bytes(of: "new/" + name) == Array("Subject: x\n\nhello=\n".utf8))
            #expect(try folder.bytes(of: "elsewhere") == Array("a file of somebody else".utf8))
        }
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
