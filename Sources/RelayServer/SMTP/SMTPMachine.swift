import Essentials
import OutboxCore

/// One connection to a mail server, as a state machine: it decides which bytes are sent, when TLS begins,
/// and the outcome of each mail. Pure: no socket, no clock, no tasks.
///
/// A shell tells each event by a function, and performs the actions that it returns, in their order. An
/// event that does not fit the state changes nothing.
///
/// ## Invariants
/// 1. The connection carries one mail at a time. Each mail that was taken has one end: ``Action/finish(_:)``
///    or ``Action/handBack``.
/// 2. No byte of a mail or of a password is sent before TLS where the protection is
///    ``MailServer/Security/require`` or ``MailServer/Security/implicit``.
/// 3. After TLS has begun nothing counts that the server said before it, and bytes that arrived in plain
///    behind the answer to `STARTTLS` end the connection
///    ([RFC 3207, section 6](https://www.rfc-editor.org/rfc/rfc3207#section-6), CVE-2011-0411).
/// 4. A command is sent before the reply to an earlier one only where the server offers `PIPELINING`, and
///    then `MAIL`, `RCPT` and `DATA` in one piece.
/// 5. A reply counts only behind its command: a server that speaks out of turn is sent nothing more.
/// 6. The final dot is sent only behind the whole message, once all earlier chunks are with the system. A
///    mail whose final dot was not sent is never ``MailOutcome/unknown(_:)``; one whose final dot was sent
///    is that, unless a reply decides.
/// 7. A mail is accepted by a 250 behind its final dot, and by nothing else.
/// 8. A mail is handed back only on a connection that has carried another one, and only if the server has
///    nothing of it: the server has closed the connection, or answers `MAIL` with a 4xx.
/// 9. A connection on which a mail was not accepted takes no further one.
/// 10. Where `RCPT` is refused and `DATA` is answered with 354 all the same, one dot ends the data
///     ([RFC 2920, section 3.1](https://www.rfc-editor.org/rfc/rfc2920#section-3.1)). Nothing was sent: the
///     refusal has decided.
///
/// ## States
/// | from | event | to | sends |
/// |---|---|---|---|
/// | connecting | ``connected()`` | greeted, in TLS at once | |
/// | greeted | 220 | hello | `EHLO` |
/// | hello | a refusal | old hello | `HELO` |
/// | hello | 250 with `STARTTLS` | starting TLS | `STARTTLS` |
/// | starting TLS | 220 | in handshake | |
/// | in handshake | ``secured()`` | hello, greeted | `EHLO` |
/// | hello | 250 with `AUTH` | authenticating | `AUTH` |
/// | hello, old hello, authenticating | success | ready | |
/// | ready | ``take(_:)`` | envelope | `MAIL`, then `RCPT`, `DATA` |
/// | envelope | 354 | text, owed | the message |
/// | text | ``textFlushed()`` | text, owed | the message |
/// | owed | 250 | ready, leaving | |
/// | any | a refusal | leaving | `QUIT` |
/// | ready | ``retired()`` | leaving | `QUIT` |
/// | any | ``lost()``, ``waitedTooLong()``, ``mailExpired()``, ``cancelled()`` | over | |
struct SMTPMachine: Hashable, Sendable {
    /// What the shell does next.
    enum Action: Hashable, Sendable {
        case write([UInt8])
        /// Write a part of the message, and tell ``SMTPMachine/textFlushed()`` once the system has it,
        /// unless it is the last one.
        case writeText(SMTPText.Chunk)
        /// Begin the handshake, and tell ``SMTPMachine/secured()``.
        case startTLS
        /// A wait begins, in place of the one before: tell ``SMTPMachine/waitedTooLong()`` at its end.
        case wait(Wait)
        /// The mail has this outcome.
        case finish(MailOutcome)
        /// The mail goes to a new connection: this one has not begun it.
        case handBack
        /// The connection takes another mail.
        case offer
        /// Close the connection. Nothing follows.
        case close
    }

    /// A wait, by the limit on its time.
    enum Wait: Hashable, Sendable, CaseIterable {
        /// Until the server is reached, with TLS where that is first.
        case connection
        /// Until the server has changed to TLS.
        case handshake
        /// Until the server answers a command, or takes a chunk of the message.
        case answer
        /// Until the server answers the whole message: for as long as the mail has.
        case verdict
        /// The same after ``SMTPMachine/cancelled()``.
        case verdictAfterCancellation
        /// Until the next mail.
        case nextMail
        /// Until the server has answered `QUIT`.
        case farewell
    }

    /// What of a mail server decides how it is spoken to.
    struct Settings: Hashable, Sendable {
        let security: MailServer.Security
        let credentials: MailServer.Credentials?
        /// The greatest number of mails of the connection.
        let mostMails: Int
    }

    private enum State: Hashable {
        case connecting, greeted, hello, oldHello, startingTLS, handshaking
        case authenticating(Authentication)
        case ready
        /// The stage whose reply is the next one.
        case envelope(SMTPStage)
        case text
        case owed
        /// The replies that are the next ones.
        case leaving([Farewell])
        case over
    }

    /// The step of `AUTH` whose reply is the next one.
    private enum Authentication: Hashable {
        /// `AUTH PLAIN` without the user, which the next line has.
        case announced
        /// `AUTH LOGIN`.
        case login
        case loginUser
        /// The line with the password.
        case password
    }

    /// A command whose reply precedes the end of a connection.
    private enum Farewell: Hashable {
        case recipient, data
        /// A lone dot, for data that nobody wanted to send.
        case dot
        case quit
    }

    private let settings: Settings
    /// The name by which this side says hello.
    private let name: String
    private var state = State.connecting
    private var reader = SMTPReplyReader()
    private var extensions = SMTPExtensions()
    private var isProtected = false
    private var mail: QueuedMail?
    /// The number of mails that were accepted.
    private var mails = 0
    private var text = SMTPText([])
    /// Whether `RCPT` was refused: only then a lone dot is sent where the server asks for data.
    private var hasRefusedRecipient = false
    /// Whether bytes have arrived behind the reply that is being handled.
    private var isFollowed = false

    /// The longest line of a command, without its end
    /// ([RFC 5321, section 4.5.3.1.4](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.4)).
    static let longestCommand = 510

    /// Makes a connection that is not reached yet.
    ///
    /// - Parameter name: The domain by which this side says hello.
    init(_ settings: Settings, name: String) {
        self.settings = settings
        self.name = name
    }

    /// Whether the connection is open and waits for a mail.
    var isReady: Bool { state == .ready }
}

// MARK: Events

extension SMTPMachine {
    /// A mail to hand over: before the connection is ready, or while it is.
    mutating func take(_ mail: QueuedMail) -> [Action] {
        precondition(self.mail == nil, "a connection carries one mail at a time")
        switch state {
        case .leaving, .over: return [.handBack]
        case .ready:
            self.mail = mail
            return begin(mail)
        default:
            self.mail = mail
            return []
        }
    }

    /// The server is reached.
    mutating func connected() -> [Action] {
        guard state == .connecting else { return [.close] }
        guard settings.security == .implicit else {
            state = .greeted
            return [.wait(.answer)]
        }
        state = .handshaking
        return []
    }

    /// The server cannot be reached.
    mutating func unreachable(_ reason: ReasonCode) -> [Action] {
        guard state == .connecting else { return [] }
        return breakOff(reason)
    }

    /// TLS has begun, and the server's certificate is right.
    mutating func secured() -> [Action] {
        guard state == .handshaking else { return [] }
        isProtected = true
        extensions = SMTPExtensions()
        reader = SMTPReplyReader()
        guard settings.security != .implicit else {
            state = .greeted
            return [.wait(.answer)]
        }
        return sayHello()
    }

    /// Bytes have arrived.
    ///
    /// - Complexity: O(number of bytes).
    mutating func received(_ bytes: some Collection<UInt8>) -> [Action] {
        var actions: [Action] = []
        var index = bytes.startIndex
        while index < bytes.endIndex, state != .over {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            guard canBeSpokenTo else {
                actions += breakOff("smtp.connection")
                break
            }
            do throws(SMTPReplyError) {
                guard let reply = try reader.read(byte) else { continue }
                isFollowed = index < bytes.endIndex
                actions += handle(reply)
            } catch {
                actions += breakOff("smtp.connection")
            }
        }
        return actions
    }

    /// All of the message that was written is with the system.
    mutating func textFlushed() -> [Action] {
        state == .text ? writeText() : []
    }

    /// The connection has ended, or TLS has failed.
    mutating func lost() -> [Action] {
        breakOff(state == .handshaking ? "smtp.tls" : "smtp.connection")
    }

    /// The wait of the last ``Action/wait(_:)`` has reached its limit.
    mutating func waitedTooLong() -> [Action] {
        isReady ? retired() : breakOff("smtp.timeout")
    }

    /// The time of the mail as a whole is over.
    mutating func mailExpired() -> [Action] {
        guard mail != nil else { return [] }
        return breakOff("smtp.timeout", canHandBack: false)
    }

    /// The mail is not to be handed over any more. Where its final dot was sent, the server's answer is
    /// waited for all the same.
    mutating func cancelled() -> [Action] {
        guard mail != nil else { return [] }
        return state == .owed
            ? [.wait(.verdictAfterCancellation)] : breakOff("smtp.cancelled", canHandBack: false)
    }

    /// No further mail comes.
    mutating func retired() -> [Action] {
        isReady ? leave() : []
    }
}

// MARK: Replies

extension SMTPMachine {
    /// Whether a byte of the server may be part of a reply now.
    private var canBeSpokenTo: Bool {
        switch state {
        case .connecting, .handshaking, .ready, .over: false
        default: true
        }
    }

    private mutating func handle(_ reply: SMTPReply) -> [Action] {
        switch state {
        case .connecting, .handshaking, .ready, .over: []
        case .greeted: (200...299).contains(reply.code) ? sayHello() : refuse(reply)
        case .hello: helloAnswered(reply)
        case .oldHello: (200...299).contains(reply.code) ? becomeReady() : refuse(reply)
        case .startingTLS: startTLSAnswered(reply)
        case .authenticating(let step): authenticationAnswered(reply, step)
        case .envelope(let stage): envelopeAnswered(reply, stage)
        case .text: textInterrupted(reply)
        case .owed: messageAnswered(reply)
        case .leaving(let farewells): farewellAnswered(reply, farewells)
        }
    }

    private mutating func helloAnswered(_ reply: SMTPReply) -> [Action] {
        guard (200...299).contains(reply.code) else {
            let mayStayPlain = settings.security != .require || isProtected
            guard mayStayPlain, reply.code != 421 else { return refuse(reply) }
            return send("HELO \(name)", then: .oldHello)
        }
        extensions = reply.extensions
        guard !isProtected else { return authenticate() }
        if extensions.hasStartTLS { return send("STARTTLS", then: .startingTLS) }
        return settings.security == .require
            ? finish(.tryLater("smtp.tls")) + leave() : authenticate()
    }

    private mutating func startTLSAnswered(_ reply: SMTPReply) -> [Action] {
        guard reply.code == 220 else {
            return settings.security == .require ? refuse(reply, else: "smtp.tls") : authenticate()
        }
        guard !isFollowed else { return breakOff("smtp.connection") }
        state = .handshaking
        return [.wait(.handshake), .startTLS]
    }

    /// Says user and password, where there are some and the server takes any.
    private mutating func authenticate() -> [Action] {
        guard let credentials = settings.credentials, extensions.hasAuthentication else {
            return becomeReady()
        }
        switch extensions.mechanism {
        case .plain:
            let line = "AUTH PLAIN " + Self.plain(credentials)
            return line.utf8.count <= Self.longestCommand
                ? send(line, then: .authenticating(.password))
                : send("AUTH PLAIN", then: .authenticating(.announced))
        case .login: return send("AUTH LOGIN", then: .authenticating(.login))
        case nil: return finish(.tryLater("smtp.authentication")) + leave()
        }
    }

    private mutating func authenticationAnswered(
        _ reply: SMTPReply,
        _ step: Authentication
    ) -> [Action] {
        guard let credentials = settings.credentials else { return becomeReady() }
        switch (step, reply.code) {
        case (.password, 235): return becomeReady()
        case (.announced, 334):
            return send(Self.plain(credentials), then: .authenticating(.password))
        case (.login, 334):
            return send(Self.base64(credentials.user), then: .authenticating(.loginUser))
        case (.loginUser, 334):
            return send(Self.base64(credentials.password), then: .authenticating(.password))
        default: return refuse(reply, else: "smtp.authentication")
        }
    }

    private mutating func envelopeAnswered(_ reply: SMTPReply, _ stage: SMTPStage) -> [Action] {
        switch (stage, reply.code) {
        case (.mail, 200...299):
            return extensions.isPipelining
                ? pass(to: .recipient) : send(recipientCommand, then: .envelope(.recipient))
        case (.recipient, 200...299):
            return extensions.isPipelining ? pass(to: .data) : send("DATA", then: .envelope(.data))
        case (.data, 354):
            guard !isFollowed else { return breakOff("smtp.connection") }
            text = SMTPText(mail?.message ?? [])
            return writeText()
        case (.mail, 400...499) where mails > 0:
            mail = nil
            return [.handBack] + leave(farewells(after: stage), reply)
        default:
            return refuse(reply, at: stage, farewells(after: stage))
        }
    }

    /// The reply to a command that was sent with the ones before it is the next one.
    private mutating func pass(to stage: SMTPStage) -> [Action] {
        state = .envelope(stage)
        return [.wait(.answer)]
    }

    /// The replies that are owed behind the one to a command of the envelope.
    private func farewells(after stage: SMTPStage) -> [Farewell] {
        guard extensions.isPipelining else { return [] }
        return switch stage {
        case .mail: [.recipient, .data]
        case .recipient: [.data]
        case .opening, .data, .message: []
        }
    }

    /// A server that does not wait for the whole message has an answer to it.
    private mutating func textInterrupted(_ reply: SMTPReply) -> [Action] {
        let refusal = SMTPRefusal(
            code: reply.code,
            enhancedCode: reply.enhancedCode,
            stage: .message
        )
        return finish(refusal.outcome ?? .tryLater("smtp.connection")) + close()
    }

    private mutating func messageAnswered(_ reply: SMTPReply) -> [Action] {
        guard reply.code == 250 else {
            let refusal = SMTPRefusal(
                code: reply.code,
                enhancedCode: reply.enhancedCode,
                stage: .message
            )
            guard let outcome = refusal.outcome else { return breakOff("smtp.connection") }
            return finish(outcome) + leave([], reply)
        }
        mails += 1
        let accepted = finish(.accepted)
        if isFollowed { return accepted + close() }
        // The connection is offered before the outcome is known: the next mail finds it.
        return (mails < settings.mostMails ? becomeReady() : leave()) + accepted
    }

    private mutating func farewellAnswered(
        _ reply: SMTPReply,
        _ farewells: [Farewell]
    ) -> [Action] {
        guard farewells.first != .quit else { return close() }
        let rest = Array(farewells.dropFirst())
        guard farewells.first == .data, reply.code == 354 else { return leave(rest) }
        guard hasRefusedRecipient else { return close() }
        state = .leaving([.dot])
        return [.write(Array(".\r\n".utf8))]
    }
}

// MARK: Steps

extension SMTPMachine {
    /// Sends a command, whose reply leads on from `next`. The server must not have spoken before.
    private mutating func send(_ line: String, then next: State) -> [Action] {
        guard !isFollowed else { return breakOff("smtp.connection") }
        state = next
        return [.wait(.answer), .write(Array((line + "\r\n").utf8))]
    }

    private mutating func sayHello() -> [Action] {
        send("EHLO \(name)", then: .hello)
    }

    private mutating func becomeReady() -> [Action] {
        guard !isFollowed else { return breakOff("smtp.connection") }
        state = .ready
        if let mail { return begin(mail) }
        return [.wait(.nextMail), .offer]
    }

    private mutating func begin(_ mail: QueuedMail) -> [Action] {
        isFollowed = false
        var line = "MAIL FROM:<\(mail.sender)>"
        // A longer message is sent without its size: the answer to the whole of it refuses it for good.
        if let longest = extensions.longestMessage, mail.message.count <= longest {
            line += " SIZE=\(mail.message.count)"
        }
        if extensions.isPipelining { line += "\r\n\(recipientCommand)\r\nDATA" }
        return send(line, then: .envelope(.mail))
    }

    private var recipientCommand: String { "RCPT TO:<\(mail?.recipient ?? "")>" }

    private mutating func writeText() -> [Action] {
        let chunk = text.next()
        state = chunk.isLast ? .owed : .text
        if chunk.isLast { text = SMTPText([]) }
        return [.wait(chunk.isLast ? .verdict : .answer), .writeText(chunk)]
    }

    private mutating func finish(_ outcome: MailOutcome) -> [Action] {
        guard mail != nil else { return [] }
        mail = nil
        return [.finish(outcome)]
    }

    /// A reply that the mail does not need: it has decided the mail's outcome, and the connection ends.
    ///
    /// - Parameters:
    ///   - stage: The stage that the reply ends.
    ///   - reason: The reason where the code is neither 4xx nor 5xx.
    private mutating func refuse(
        _ reply: SMTPReply,
        at stage: SMTPStage = .opening,
        _ farewells: [Farewell] = [],
        else reason: ReasonCode = "smtp.connection"
    ) -> [Action] {
        let refusal = SMTPRefusal(code: reply.code, enhancedCode: reply.enhancedCode, stage: stage)
        guard let outcome = refusal.outcome else { return finish(.tryLater(reason)) + close() }
        hasRefusedRecipient = stage == .recipient
        return finish(outcome) + leave(farewells, reply)
    }

    /// Ends the connection in its order: with `QUIT`, behind the replies that are owed.
    ///
    /// - Parameter reply: The reply that leads to the end. A server that closes waits for no `QUIT`.
    private mutating func leave(_ farewells: [Farewell] = [], _ reply: SMTPReply? = nil) -> [Action]
    {
        guard reply?.code != 421, !(farewells.isEmpty && isFollowed) else { return close() }
        guard farewells.isEmpty else {
            state = .leaving(farewells)
            return [.wait(.farewell)]
        }
        state = .leaving([.quit])
        return [.wait(.farewell), .write(Array("QUIT\r\n".utf8))]
    }

    private mutating func close() -> [Action] {
        state = .over
        return [.close]
    }

    /// Ends the connection at once. The mail is unknown if its final dot was sent.
    private mutating func breakOff(_ reason: ReasonCode, canHandBack: Bool = true) -> [Action] {
        guard state != .over else { return [] }
        let isOwed = state == .owed
        let isUntouched = mails > 0 && state == .envelope(.mail)
        let hadMail = mail != nil
        let closed = close()
        guard !isOwed else { return finish(.unknown("smtp.unanswered")) + closed }
        guard hadMail, isUntouched, canHandBack else { return finish(.tryLater(reason)) + closed }
        mail = nil
        return [.handBack] + closed
    }

    private static func plain(_ credentials: MailServer.Credentials) -> String {
        base64("\0\(credentials.user)\0\(credentials.password)")
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }
}
