import OutboxCore
import Testing

@testable import RelayServer

/// A machine, and a server that answers by a script.
private struct Talk {
    /// What the server, or another power, does at a command.
    enum Reaction: Hashable {
        case reply(String)
        case cut
        case silence
        case cancellation
    }

    enum End: Hashable {
        case finished(MailOutcome)
        case handedBack
    }

    private let settings: SMTPMachine.Settings
    let script: (String) -> Reaction
    /// Whether each byte of the server arrives by itself.
    let isSplit: Bool
    var machine: SMTPMachine
    /// The pieces that were written, each with whether TLS protected it.
    var written: [(text: String, isProtected: Bool)] = []
    var ends: [End] = []
    var waits: [SMTPMachine.Wait] = []
    var isClosed = false
    var isOffered = false
    private var isProtected = false
    private var isInHandshake = false
    private var isInData = false
    private var unread = ""
    private var mayFlush = false
    private var reactions: [Reaction] = []

    init(
        _ settings: SMTPMachine.Settings,
        isSplit: Bool = false,
        script: @escaping (String) -> Reaction
    ) {
        machine = SMTPMachine(settings, name: "relay.example")
        self.settings = settings
        self.script = script
        self.isSplit = isSplit
    }

    var commands: [String] {
        written.flatMap { $0.text.split(separator: "\r\n").map(String.init) }
    }

    mutating func deliver(_ mail: QueuedMail) {
        perform(machine.take(mail))
        run()
    }

    /// Reaches the server, which greets.
    mutating func open() {
        perform(machine.connected())
        if settings.security == .implicit { startTLS() }
        reactions.append(script("greeting"))
        run()
    }

    /// Reads the commands that were written, and has each reaction come.
    mutating func run() {
        while !isClosed {
            if isInHandshake { startTLS() }
            readCommands()
            if mayFlush {
                mayFlush = false
                perform(machine.textFlushed())
                continue
            }
            guard !reactions.isEmpty else { return }
            // Replies to commands that came at once come at once, up to another reaction.
            var bytes: [UInt8] = []
            while case .reply(let text)? = reactions.first {
                reactions.removeFirst()
                bytes += Array((text + "\r\n").utf8)
            }
            if bytes.isEmpty { return react(reactions.removeFirst()) }
            receive(bytes)
        }
    }

    mutating func receive(_ bytes: [UInt8]) {
        for part in isSplit ? bytes.map({ [$0] }) : [bytes] { perform(machine.received(part)) }
    }

    private mutating func react(_ reaction: Reaction) {
        switch reaction {
        case .reply: break
        case .cut: perform(machine.lost())
        case .silence:
            perform(waits.last == .verdict ? machine.mailExpired() : machine.waitedTooLong())
        case .cancellation:
            perform(machine.cancelled())
            if waits.last == .verdictAfterCancellation { perform(machine.waitedTooLong()) }
        }
    }

    private mutating func startTLS() {
        isInHandshake = false
        isProtected = true
        switch script("handshake") {
        case .reply: perform(machine.secured())
        case let other: react(other)
        }
    }

    private mutating func readCommands() {
        while let end = unread.firstRange(of: "\r\n") {
            let line = String(unread[..<end.lowerBound])
            if isInData {
                guard let end = unread.firstRange(of: ".\r\n") else { return }
                let message = String(unread[..<end.lowerBound])
                unread = String(unread[end.upperBound...])
                isInData = false
                reactions.append(script("message " + message))
                continue
            }
            unread = String(unread[end.upperBound...])
            let reaction = script(line)
            reactions.append(reaction)
            if line == "DATA", case .reply(let text) = reaction, text.hasPrefix("354") {
                isInData = true
            }
        }
    }

    mutating func perform(_ actions: [SMTPMachine.Action]) {
        for action in actions {
            #expect(!isClosed || action.isEnd, "nothing follows a close: \(action)")
            switch action {
            case .write(let bytes): write(bytes)
            case .writeText(let chunk):
                var bytes: [UInt8] = []
                chunk.forEachPiece { bytes += $0 }
                write(bytes)
                mayFlush = !chunk.isLast
            case .startTLS: isInHandshake = true
            case .wait(let wait): waits.append(wait)
            case .finish(let outcome): ends.append(.finished(outcome))
            case .handBack: ends.append(.handedBack)
            case .offer: isOffered = true
            case .close: isClosed = true
            }
        }
    }

    private mutating func write(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        written.append((text, isProtected))
        unread += text
    }
}

extension SMTPMachine.Action {
    fileprivate var isEnd: Bool {
        switch self {
        case .finish, .handBack: true
        default: false
        }
    }
}

@Suite("The machine of an SMTP connection")
struct SMTPMachineTests {
    private typealias Reaction = Talk.Reaction

    private let mail = QueuedMail(
        sender: "memo@relay.example",
        recipient: "somebody@example.org",
        messageID: "0a1b@relay.example",
        message: Array("Subject: x\r\n\r\nbody\r\n".utf8)
    )
    private let user = MailServer.Credentials(user: "user", password: "password")

    private func settings(
        _ security: MailServer.Security = .opportunistic,
        _ credentials: MailServer.Credentials? = nil,
        mostMails: Int = 100
    ) -> SMTPMachine.Settings {
        SMTPMachine.Settings(security: security, credentials: credentials, mostMails: mostMails)
    }

    /// A server that takes all, with some reactions of its own, by the first word of the command.
    private func server(
        _ extensions: [String] = [],
        _ reactions: [String: Reaction] = [:]
    ) -> (String) -> Reaction {
        { line in
            let command = String(line.split(separator: " ").first ?? "")
            if let reaction = reactions[command] { return reaction }
            switch command {
            case "greeting": return .reply("220 test")
            case "EHLO":
                let lines = ["test"] + extensions
                return .reply(
                    lines.dropLast().map { "250-\($0)\r\n" }.joined() + "250 \(lines.last ?? "")"
                )
            case "STARTTLS": return .reply("220 go on")
            case "AUTH": return .reply("235 welcome")
            case "DATA": return .reply("354 go on")
            case "QUIT": return .reply("221 bye")
            default: return .reply("250 ok")
            }
        }
    }

    private func talk(
        _ settings: SMTPMachine.Settings,
        isSplit: Bool = false,
        _ script: @escaping (String) -> Reaction
    ) -> Talk {
        var talk = Talk(settings, isSplit: isSplit, script: script)
        talk.deliver(mail)
        talk.open()
        return talk
    }

    // MARK: Every command and every reply

    /// A place where something can go wrong, with the settings under which a session comes there.
    private enum Place: String, CaseIterable {
        case greeting, handshake, message
        case hello = "EHLO"
        case startTLS = "STARTTLS"
        case authentication = "AUTH"
        case mail = "MAIL"
        case recipient = "RCPT"
        case data = "DATA"
    }

    private static let refusals = [
        "421 4.3.0 closing", "450 later", "452 4.1.1 later", "500 no", "550 5.1.1 nobody",
        "550-5.1.1 a\r\n550 5.7.1 policy", "554 5.7.1 policy", "599 5.1000.1 odd",
    ]
    private static let odd = ["202 hm", "299 hm", "334 hm", "399 hm"]
    private static let others: [Reaction] = [
        .cut, .silence, .cancellation, .reply("no reply at all"), .reply("999 no"),
        .reply(String(repeating: "250-x\r\n", count: 500) + "250 x"),
        .reply("250 " + String(repeating: "x", count: 1 << 16)),
    ]

    /// The outcome, by a rule that knows nothing of the machine's states.
    private func outcome(_ place: Place, _ reaction: Reaction) -> MailOutcome {
        let isSent = place == .message
        guard case .reply(let text) = reaction, let last = text.split(separator: "\r\n").last,
            let code = Int(last.prefix(3)), (200...599).contains(code), text.utf8.count < 1_000
        else {
            if isSent { return .unknown("smtp.unanswered") }
            switch reaction {
            case .silence: return .tryLater("smtp.timeout")
            case .cancellation: return .tryLater("smtp.cancelled")
            case .cut, .reply:
                return .tryLater(place == .handshake ? "smtp.tls" : "smtp.connection")
            }
        }
        let enhanced = last.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let isEnhanced = ["5.1.1", "5.7.1"].contains(enhanced)
        switch code / 100 {
        case 4: return .tryLater(ReasonCode(utf8: Array("smtp.\(code)".utf8)))
        case 5:
            if enhanced != "5.7.1", isSent || place == .recipient && enhanced == "5.1.1" {
                return .refused(ReasonCode(utf8: Array("smtp.\(code)".utf8)))
            }
            let reason = "smtp.relay.\(code)" + (isEnhanced ? ".\(enhanced)" : "")
            return .tryLater(ReasonCode(utf8: Array(reason.utf8)))
        default:
            if isSent { return .unknown("smtp.unanswered") }
            switch place {
            case .startTLS: return .tryLater("smtp.tls")
            case .authentication: return .tryLater("smtp.authentication")
            default: return .tryLater("smtp.connection")
            }
        }
    }

    /// Whether a reply leads on.
    private func isSuccess(_ place: Place, _ text: String) -> Bool {
        let isPositive = text.hasPrefix("2") && text.utf8.count < 1_000
        return switch place {
        case .greeting, .hello, .mail, .recipient: isPositive
        case .authentication, .startTLS, .handshake, .data, .message: false
        }
    }

    @Test(
        "every reaction to every command leads to the outcome of the rule, wherever replies are cut",
        arguments: [false, true],
        [false, true]
    )
    func everyReaction(isPipelining: Bool, isSplit: Bool) {
        let extensions = ["STARTTLS", "AUTH PLAIN"] + (isPipelining ? ["PIPELINING"] : [])
        let replies = (Self.refusals + Self.odd).map { Reaction.reply($0) }
        var tried = 0
        for place in Place.allCases {
            for reaction in replies + Self.others {
                if case .reply(let text) = reaction {
                    if isSuccess(place, text) || place == .handshake { continue }
                }
                var reactions = [place.rawValue: reaction]
                if place == .hello { reactions["HELO"] = reaction }
                let talk = talk(
                    settings(.require, user),
                    isSplit: isSplit,
                    server(extensions, reactions)
                )
                let expected = outcome(place, reaction)
                #expect(talk.ends == [.finished(expected)], "\(place) \(reaction)")
                #expect(talk.isClosed && !talk.isOffered, "\(place) \(reaction)")
                tried += 1
            }
        }
        #expect(tried > 100)
    }

    @Test(
        "a mail is accepted by a 250 behind its final dot",
        arguments: [false, true],
        [false, true]
    )
    func accepted(isPipelining: Bool, isSplit: Bool) {
        let extensions = isPipelining ? ["PIPELINING"] : []
        let talk = talk(settings(), isSplit: isSplit, server(extensions))
        #expect(talk.ends == [.finished(.accepted)])
        #expect(talk.isOffered && !talk.isClosed && talk.machine.isReady)
        #expect(talk.waits.last == .nextMail)
    }

    // MARK: Pipelining

    @Test("MAIL, RCPT and DATA go in one piece where the server offers it, else one by one")
    func pieces() {
        let envelope = [
            "MAIL FROM:<memo@relay.example>", "RCPT TO:<somebody@example.org>", "DATA",
        ]
        let together = talk(settings(), server(["PIPELINING"]))
        #expect(
            together.written.map(\.text) == [
                "EHLO relay.example\r\n", envelope.map { $0 + "\r\n" }.joined(),
                "Subject: x\r\n\r\nbody\r\n.\r\n",
            ]
        )
        let apart = talk(settings(), server())
        #expect(apart.written.dropFirst().dropLast().map(\.text) == envelope.map { $0 + "\r\n" })
    }

    @Test("data that nobody wanted to send ends with one dot, and the refusal stays")
    func dataWithoutRecipient() {
        let refusal = Reaction.reply("550 5.1.1 nobody")
        let talk = talk(settings(), server(["PIPELINING"], ["RCPT": refusal]))
        #expect(talk.ends == [.finished(.refused("smtp.550"))])
        #expect(talk.written.suffix(2).map(\.text) == [".\r\n", "QUIT\r\n"])
        #expect(talk.isClosed)
    }

    @Test("a server that refuses all of it gets QUIT, and no dot")
    func allRefused() {
        for reactions in [
            ["RCPT": Reaction.reply("550 5.1.1 nobody"), "DATA": .reply("554 no recipients")],
            ["MAIL": .reply("550 no"), "RCPT": .reply("503 no"), "DATA": .reply("503 no")],
        ] {
            let talk = talk(settings(), server(["PIPELINING"], reactions))
            #expect(talk.ends.count == 1 && talk.isClosed)
            #expect(talk.written.last?.text == "QUIT\r\n" && !talk.commands.contains("."))
        }
    }

    @Test("a server that asks for data behind a refused sender is left without a dot")
    func dataWithoutSender() {
        let talk = talk(settings(), server(["PIPELINING"], ["MAIL": .reply("550 no")]))
        #expect(talk.ends == [.finished(.tryLater("smtp.relay.550"))])
        #expect(talk.isClosed && !talk.commands.contains("."))
    }

    // MARK: Protection

    @Test("nothing but EHLO, STARTTLS and QUIT is sent in plain where TLS is required")
    func onlyInTLS() {
        for extensions in [[], ["AUTH PLAIN"], ["STARTTLS", "AUTH PLAIN", "PIPELINING"]] {
            for answer in ["220 go", "454 not now", "502 no", "250 hm"] {
                let script = server(extensions, ["STARTTLS": .reply(answer)])
                let talk = talk(settings(.require, user), script)
                for piece in talk.written where !piece.isProtected {
                    #expect(["EHLO", "STAR", "QUIT"].contains(String(piece.text.prefix(4))))
                }
                let isTaken = extensions.contains("STARTTLS") && answer == "220 go"
                #expect(talk.ends.contains(.finished(.accepted)) == isTaken)
            }
        }
    }

    @Test(
        "where TLS is tried only, a server that has none, or takes it back, gets the mail in plain"
    )
    func opportunistic() {
        let refusing = server(["STARTTLS"], ["STARTTLS": .reply("454 not now")])
        for script in [server(), refusing] {
            #expect(talk(settings(), script).ends == [.finished(.accepted)])
        }
        let failing = server(["STARTTLS"], ["handshake": .cut])
        #expect(talk(settings(), failing).ends == [.finished(.tryLater("smtp.tls"))])
    }

    @Test("what a server says before TLS is forgotten")
    func forgottenExtensions() {
        var greetings = 0
        let talk = talk(settings(.require, user)) { line in
            guard line.hasPrefix("EHLO") else { return server([], [:])(line) }
            greetings += 1
            return greetings == 1
                ? .reply("250-test\r\n250-PIPELINING\r\n250-AUTH PLAIN\r\n250 STARTTLS")
                : .reply("250 test")
        }
        #expect(greetings == 2 && talk.ends == [.finished(.accepted)])
        #expect(!talk.commands.contains { $0.hasPrefix("AUTH") })
        #expect(talk.written.contains { $0.text == "DATA\r\n" })
    }

    @Test("bytes in plain behind the answer to STARTTLS end the connection (CVE-2011-0411)")
    func injection() {
        let injected = Reaction.reply("220 go\r\n250-test\r\n250 AUTH PLAIN")
        let together = talk(settings(.require, user), server(["STARTTLS"], ["STARTTLS": injected]))
        #expect(together.ends == [.finished(.tryLater("smtp.connection"))])
        #expect(together.written.allSatisfy { !$0.isProtected })
        // And where they come a moment later, before the handshake.
        var machine = SMTPMachine(settings(.require), name: "relay.example")
        _ = machine.take(mail)
        _ = machine.connected()
        _ = machine.received(Array("220 x\r\n".utf8))
        _ = machine.received(Array("250-x\r\n250 STARTTLS\r\n".utf8))
        #expect(machine.received(Array("220 go\r\n".utf8)) == [.wait(.handshake), .startTLS])
        let late = machine.received(Array("2".utf8))
        #expect(late == [.finish(.tryLater("smtp.connection")), .close])
        #expect(machine.secured() == [])
    }

    @Test("TLS from the first byte precedes the greeting, and a failure of it is one of TLS")
    func implicit() {
        let whole = talk(settings(.implicit, user), server(["AUTH PLAIN", "STARTTLS"]))
        #expect(whole.ends == [.finished(.accepted)])
        #expect(whole.written.allSatisfy { $0.isProtected })
        #expect(!whole.commands.contains("STARTTLS"))
        let broken = talk(settings(.implicit), server([], ["handshake": .cut]))
        #expect(broken.ends == [.finished(.tryLater("smtp.tls"))] && broken.written.isEmpty)
    }

    // MARK: User and password

    @Test("PLAIN says user and password at once, LOGIN one after the other")
    func mechanisms() {
        let plain = talk(settings(.opportunistic, user), server(["AUTH LOGIN PLAIN"]))
        #expect(plain.commands.contains("AUTH PLAIN AHVzZXIAcGFzc3dvcmQ="))
        let login = talk(settings(.opportunistic, user)) { line in
            switch line {
            case "AUTH LOGIN", "dXNlcg==": .reply("334 x")
            case "cGFzc3dvcmQ=": .reply("235 welcome")
            default: server(["AUTH LOGIN"], [:])(line)
            }
        }
        #expect(login.ends == [.finished(.accepted)])
        #expect(login.commands[1...3] == ["AUTH LOGIN", "dXNlcg==", "cGFzc3dvcmQ="])
    }

    @Test("a password that is too long for a line of AUTH follows in a line of its own")
    func longPassword() {
        let long = MailServer.Credentials(
            user: "user",
            password: String(repeating: "p", count: 600)
        )
        let talk = talk(settings(.opportunistic, long)) { line in
            switch line {
            case "AUTH PLAIN": .reply("334 ")
            case _ where line.hasPrefix("AHVzZXIAcHBw"): .reply("235 welcome")
            default: server(["AUTH PLAIN"], [:])(line)
            }
        }
        #expect(talk.ends == [.finished(.accepted)])
    }

    @Test("a server without AUTH gets the mail, one with unknown mechanisms gets none")
    func withoutMechanism() {
        #expect(talk(settings(.opportunistic, user), server()).ends == [.finished(.accepted)])
        let unknown = talk(settings(.opportunistic, user), server(["AUTH CRAM-MD5"]))
        #expect(unknown.ends == [.finished(.tryLater("smtp.authentication"))])
    }

    @Test("a server that knows no EHLO is greeted by HELO, and gets no password")
    func oldServer() {
        let talk = talk(settings(.opportunistic, user), server([], ["EHLO": .reply("502 what")]))
        #expect(talk.ends == [.finished(.accepted)])
        #expect(talk.commands.prefix(2) == ["EHLO relay.example", "HELO relay.example"])
    }

    // MARK: Several mails

    @Test(
        "a further mail is handed back where the server has nothing of it, and only there",
        arguments: [false, true]
    )
    func furtherMail(isPipelining: Bool) {
        for (place, reaction, expected) in [
            ("MAIL", Reaction.cut, Talk.End.handedBack), ("MAIL", .silence, .handedBack),
            ("MAIL", .reply("421 enough"), .handedBack), ("MAIL", .reply("451 later"), .handedBack),
            ("MAIL", .cancellation, .finished(.tryLater("smtp.cancelled"))),
            ("MAIL", .reply("550 no"), .finished(.tryLater("smtp.relay.550"))),
            ("RCPT", .cut, .finished(.tryLater("smtp.connection"))),
            ("RCPT", .reply("451 later"), .finished(.tryLater("smtp.451"))),
            ("message", .cut, .finished(.unknown("smtp.unanswered"))),
        ] {
            var mails = 0
            var talk = talk(settings()) { line in
                if line.hasPrefix("MAIL") { mails += 1 }
                return server(
                    isPipelining ? ["PIPELINING"] : [],
                    mails > 1 ? [place: reaction] : [:]
                )(
                    line
                )
            }
            talk.deliver(mail)
            #expect(talk.ends == [.finished(.accepted), expected], "\(place) \(reaction)")
            #expect(talk.isClosed)
        }
    }

    @Test(
        "the connection ends with QUIT behind the last mail that it may carry, and when no mail comes"
    )
    func ends() {
        let last = talk(settings(mostMails: 1), server())
        #expect(last.ends == [.finished(.accepted)] && !last.isOffered)
        #expect(last.isClosed && last.commands.last == "QUIT")
        var idle = talk(settings(), server())
        idle.perform(idle.machine.waitedTooLong())
        idle.run()
        #expect(idle.isClosed && idle.commands.last == "QUIT" && idle.ends.count == 1)
    }

    @Test("a mail that comes to a connection that has ended is handed back")
    func lateMail() {
        var talk = talk(settings(), server())
        talk.perform(talk.machine.lost())
        #expect(talk.isClosed && !talk.machine.isReady)
        talk.deliver(mail)
        #expect(talk.ends == [.finished(.accepted), .handedBack])
    }

    // MARK: Order

    @Test("a server that speaks out of turn gets no message, and accepts nothing by it")
    func outOfTurn() {
        let early = Reaction.reply("354 go on\r\n250 taken")
        for extensions in [[], ["PIPELINING"]] {
            let talk = talk(settings(), server(extensions, ["DATA": early]))
            #expect(talk.ends == [.finished(.tryLater("smtp.connection"))])
            #expect(!talk.commands.contains("."))
        }
        var waiting = talk(settings(), server())
        waiting.receive(Array("421 4.4.2 idle\r\n".utf8))
        #expect(waiting.isClosed && waiting.ends == [.finished(.accepted)])
    }

    @Test("what a server says behind its 250 takes nothing back, and ends the connection")
    func behindAcceptance() {
        let talk = talk(settings(), server([], ["message": .reply("250 ok\r\n421 x")]))
        #expect(talk.ends == [.finished(.accepted)] && talk.isClosed && !talk.isOffered)
    }

    @Test(
        "the final dot leaves only behind all of a long message; before it a cancelled mail is not sent"
    )
    func longMessage() {
        let long = QueuedMail(
            sender: mail.sender,
            recipient: mail.recipient,
            messageID: mail.messageID,
            message: Array(repeating: UInt8(ascii: "x"), count: SMTPText.usualChunk * 2 + 1)
        )
        func machine() -> SMTPMachine {
            var machine = SMTPMachine(settings(), name: "relay.example")
            _ = machine.take(long)
            _ = machine.connected()
            for reply in ["220 x", "250 x", "250 x", "250 x"] {
                _ = machine.received(Array((reply + "\r\n").utf8))
            }
            return machine
        }
        func chunk(_ actions: [SMTPMachine.Action]) -> SMTPText.Chunk? {
            guard actions.count == 2, case .writeText(let chunk) = actions[1] else { return nil }
            return chunk
        }
        var whole = machine()
        let chunks = [
            chunk(whole.received(Array("354 x\r\n".utf8))), chunk(whole.textFlushed()),
            chunk(whole.textFlushed()),
        ]
        #expect(chunks.map { $0?.isLast } == [false, false, true])
        #expect(whole.textFlushed() == [])
        #expect(whole.lost() == [.finish(.unknown("smtp.unanswered")), .close])

        var cancelled = machine()
        _ = cancelled.received(Array("354 x\r\n".utf8))
        #expect(cancelled.cancelled() == [.finish(.tryLater("smtp.cancelled")), .close])
        #expect(cancelled.textFlushed() == [])

        var refused = machine()
        _ = refused.received(Array("354 x\r\n".utf8))
        #expect(
            refused.received(Array("552 5.3.4 too big\r\n".utf8))
                == [.finish(.refused("smtp.552")), .close]
        )
    }

    @Test("a cancelled mail whose final dot was sent waits for its answer, and the answer counts")
    func cancelledLate() {
        var talk = Talk(settings(), script: server([], ["message": .reply("")]))
        talk.deliver(mail)
        for reply in ["220 x", "250 x", "250 x", "250 x", "354 x"] {
            if reply == "220 x" { talk.perform(talk.machine.connected()) }
            talk.perform(talk.machine.received(Array((reply + "\r\n").utf8)))
        }
        talk.perform(talk.machine.cancelled())
        #expect(talk.waits.last == .verdictAfterCancellation && talk.ends.isEmpty)
        talk.perform(talk.machine.received(Array("250 taken\r\n".utf8)))
        #expect(talk.ends == [.finished(.accepted)])
    }

    @Test("a message is named with its size where the server has room for it, else without")
    func size() {
        for (limit, isNamed) in [
            ("SIZE 20", true), ("SIZE 19", false), ("SIZE 0", false), ("SIZE", false),
        ] {
            let talk = talk(settings(), server([limit]))
            #expect(talk.commands.contains("MAIL FROM:<memo@relay.example> SIZE=20") == isNamed)
            #expect(talk.ends == [.finished(.accepted)])
        }
    }

    @Test("a server that cannot be reached has the mail wait; what comes later changes nothing")
    func unreachable() {
        var machine = SMTPMachine(settings(), name: "relay.example")
        _ = machine.take(mail)
        #expect(
            machine.unreachable("smtp.connect") == [.finish(.tryLater("smtp.connect")), .close]
        )
        #expect(machine.unreachable("smtp.connect") == [])
        #expect(machine.connected() == [.close])
        #expect(machine.take(mail) == [.handBack])
        #expect(machine.received(Array("220 x\r\n".utf8)) == [])
        #expect(machine.lost() == [] && machine.cancelled() == [] && machine.mailExpired() == [])
    }
}
