import OutboxCore
import Testing
import Waiting

@testable import RelaySQLite
@testable import RelayServer

// The time limit ends a test that hangs; no test comes near it.
@Suite("Delivery by SMTP", .timeLimit(.minutes(60)))
struct SMTPTransportTests {
    private typealias Script = ScriptedSMTPServer.Script

    /// The clients that are held to one behaviour.
    enum Client: CaseIterable {
        case curl
        case nio
        /// The same with a server that offers `PIPELINING`.
        case nioPipelining

        func server(_ script: ScriptedSMTPServer.Script = .init()) throws -> ScriptedSMTPServer {
            try ScriptedSMTPServer(script, offering: self == .nioPipelining ? ["PIPELINING"] : [])
        }

        func transport(_ endpoint: MailServer) -> any MailTransport {
            switch self {
            case .curl: SMTPTransport(endpoint: endpoint)
            case .nio, .nioPipelining: NIOSMTPTransport(endpoint: endpoint)
            }
        }
    }

    private let mail = QueuedMail(
        sender: "memo@relay.example",
        recipient: "somebody@example.org",
        messageID: "0a1b@relay.example",
        message: Array("Subject: x\r\n\r\n.dot\r\n..\r\nhello=\r\n".utf8)
    )

    private func endpoint(
        _ server: ScriptedSMTPServer,
        security: MailServer.Security = .opportunistic,
        credentials: MailServer.Credentials? = nil
    ) -> MailServer {
        var endpoint = MailServer(
            host: "127.0.0.1",
            port: Int(server.port),
            security: security,
            credentials: credentials
        )
        // Longer than the suite may take: no outcome may depend on the speed of the machine.
        endpoint.timeout = .seconds(3600)
        endpoint.reuse.idle = .seconds(3600)
        endpoint.reuse.age = .seconds(3600)
        return endpoint
    }

    private func outcome(_ client: Client, _ script: Script) async throws -> MailOutcome {
        let server = try client.server(script)
        return await client.transport(endpoint(server)).deliver(mail)
    }

    @Test("an accepted mail arrives byte for byte, to one recipient", arguments: Client.allCases)
    func accepted(client: Client) async throws {
        let server = try client.server()
        #expect(await client.transport(endpoint(server)).deliver(mail) == .accepted)
        #expect(server.messages == [mail.message])
        #expect(server.commands.contains("MAIL FROM:<memo@relay.example>"))
        #expect(
            server.commands.filter { $0.hasPrefix("RCPT") } == ["RCPT TO:<somebody@example.org>"]
        )
    }

    @Test("a mail of several MiB arrives byte for byte", arguments: Client.allCases)
    func longMail(client: Client) async throws {
        let server = try client.server()
        let line = String(repeating: "=0A", count: 25) + "=\r\n"
        let long = QueuedMail(
            sender: mail.sender,
            recipient: mail.recipient,
            messageID: mail.messageID,
            message: mail.message + Array(String(repeating: line, count: 50_000).utf8)
        )
        #expect(await client.transport(endpoint(server)).deliver(long) == .accepted)
        #expect(server.messages == [long.message])
    }

    @Test(
        "only an unknown recipient is refused for good before the final dot",
        arguments: Client.allCases,
        [
            (["RCPT": "550 5.1.1 nobody"], MailOutcome.refused("smtp.550")),
            (["RCPT": "551-5.1.6 moved\r\n551 5.1.6 away"], .refused("smtp.551")),
            (["RCPT": "550 no"], .tryLater("smtp.relay.550")),
            (["RCPT": "554 5.7.1 no relaying"], .tryLater("smtp.relay.554.5.7.1")),
            (["RCPT": "452 5.1.1 later"], .tryLater("smtp.452")),
            (["RCPT": "451 later"], .tryLater("smtp.451")),
        ]
    )
    func recipients(client: Client, _ rule: ([String: String], MailOutcome)) async throws {
        #expect(try await outcome(client, Script(answers: rule.0)) == rule.1)
    }

    @Test(
        "a refusal that speaks of the relay is for now: the mail waits until somebody mends it",
        arguments: Client.allCases,
        [
            (
                ["MAIL": "553 5.1.8 sender unknown"], MailOutcome.tryLater("smtp.relay.553.5.1.8")
            ),
            (["MAIL": "550 5.1000.1 odd"], .tryLater("smtp.relay.550")),
            (["MAIL": "550 no"], .tryLater("smtp.relay.550")),
            (["MAIL": "530 authenticate"], .tryLater("smtp.relay.530")),
            (["MAIL": "450 later"], .tryLater("smtp.450")),
            (["DATA": "554 no"], .tryLater("smtp.relay.554")),
            (["DATA": "452 later"], .tryLater("smtp.452")),
            (["EHLO": "554 no", "HELO": "554 no"], .tryLater("smtp.relay.554")),
        ]
    )
    func aboutTheRelay(client: Client, _ rule: ([String: String], MailOutcome)) async throws {
        #expect(try await outcome(client, Script(answers: rule.0)) == rule.1)
    }

    @Test("a busy or refusing greeting means later", arguments: Client.allCases)
    func greetings(client: Client) async throws {
        #expect(try await outcome(client, Script(greeting: "421 busy")) == .tryLater("smtp.421"))
        #expect(
            try await outcome(client, Script(greeting: "554 no")) == .tryLater("smtp.relay.554")
        )
    }

    @Test("the answer to the final dot decides", arguments: Client.allCases)
    func finalAnswers(client: Client) async throws {
        #expect(try await outcome(client, Script(end: .answer("554 no"))) == .refused("smtp.554"))
        #expect(
            try await outcome(client, Script(end: .answer("451 later"))) == .tryLater("smtp.451")
        )
        let unsigned = Script(end: .answer("550-5.7.26 not signed\r\n550 5.7.26 by its domain"))
        #expect(try await outcome(client, unsigned) == .tryLater("smtp.relay.550.5.7.26"))
        #expect(try await outcome(client, Script(end: .answer("250 ok"))) == .accepted)
    }

    @Test("a connection lost before the final dot means later", arguments: Client.allCases)
    func lostBefore(client: Client) async throws {
        for command in ["EHLO", "MAIL", "RCPT", "DATA"] {
            let outcome = try await outcome(client, Script(cutAt: command))
            guard case .tryLater = outcome else {
                Issue.record("\(command): \(outcome)")
                continue
            }
        }
    }

    @Test(
        "a connection lost after the final dot is unknown, and the same bytes are sent again",
        arguments: Client.allCases
    )
    func lostAfter(client: Client) async throws {
        let server = try client.server(Script(end: .cut))
        let transport = client.transport(endpoint(server))
        #expect(await transport.deliver(mail) == .unknown("smtp.unanswered"))
        server.behave(Script())
        #expect(await transport.deliver(mail) == .accepted)
        #expect(server.messages == [mail.message, mail.message])
    }

    @Test(
        "a server that hangs is given up: for later before the final dot, unknown after it",
        arguments: Client.allCases
    )
    func hanging(client: Client) async throws {
        let before = try await outcome(client, Script(hangAt: "RCPT")) { server in
            server.commands.contains { $0.hasPrefix("RCPT") }
        }
        #expect(before == .tryLater("smtp.timeout"))
        let after = try await outcome(client, Script(end: .hang)) { !$0.messages.isEmpty }
        #expect(after == .unknown("smtp.unanswered"))
    }

    /// The outcome of a delivery that runs out of time after the server was reached: a machine that
    /// is too slow to get so far within the time is given twice the time.
    private func outcome(
        _ client: Client,
        _ script: Script,
        after isReached: (ScriptedSMTPServer) -> Bool
    ) async throws -> MailOutcome {
        var timeout = Duration.milliseconds(500)
        while true {
            let server = try client.server(script)
            var endpoint = endpoint(server)
            endpoint.timeout = timeout
            let outcome = await client.transport(endpoint).deliver(mail)
            if isReached(server) { return outcome }
            timeout = timeout * 2
        }
    }

    @Test("no server means later", arguments: Client.allCases)
    func noServer(client: Client) async {
        let endpoint = MailServer(host: "127.0.0.1", port: 1, security: .opportunistic)
        #expect(await client.transport(endpoint).deliver(mail) == .tryLater("smtp.connect"))
    }

    @Test(
        "where STARTTLS is required, nothing is said to a server without it",
        arguments: Client.allCases
    )
    func startTLSIsRequired(client: Client) async throws {
        let server = try client.server()
        let credentials = MailServer.Credentials(user: "canary", password: "canary")
        let endpoint = endpoint(server, security: .require, credentials: credentials)
        #expect(await client.transport(endpoint).deliver(mail) == .tryLater("smtp.tls"))
        #expect(!server.commands.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") })
    }

    @Test("a wrong password means later: a person can mend it", arguments: Client.allCases)
    func wrongPassword(client: Client) async throws {
        let server = try client.server(
            Script(answers: ["AUTH": "535 no"], extensions: ["AUTH PLAIN"])
        )
        let credentials = MailServer.Credentials(user: "user", password: "password")
        let endpoint = endpoint(server, credentials: credentials)
        #expect(
            await client.transport(endpoint).deliver(mail) == .tryLater("smtp.relay.535")
        )
        server.behave(Script(answers: ["AUTH": "235 welcome"], extensions: ["AUTH PLAIN"]))
        #expect(await client.transport(endpoint).deliver(mail) == .accepted)
    }

    /// Mails that differ.
    private func mails(_ count: Int) -> [QueuedMail] {
        (0..<count).map { number in
            QueuedMail(
                sender: mail.sender,
                recipient: mail.recipient,
                messageID: "\(number)@relay.example",
                message: mail.message + Array("\(number)\r\n".utf8)
            )
        }
    }

    private func deliver(
        _ mails: [QueuedMail],
        by client: Client,
        to server: ScriptedSMTPServer,
        _ configure: (inout MailServer) -> Void = { _ in }
    ) async -> [MailOutcome] {
        var endpoint = endpoint(server)
        configure(&endpoint)
        let transport = client.transport(endpoint)
        var outcomes: [MailOutcome] = []
        for mail in mails { outcomes.append(await transport.deliver(mail)) }
        return outcomes
    }

    @Test(
        "mails follow each other on one connection, as many as it may carry",
        arguments: Client.allCases
    )
    func reuse(client: Client) async throws {
        let server = try client.server()
        let mails = mails(7)
        let outcomes = await deliver(mails, by: client, to: server) { endpoint in
            endpoint.reuse.mails = 3
            // However long each mail takes.
            endpoint.reuse.idle = .seconds(3600)
        }
        #expect(outcomes.allSatisfy { $0 == .accepted })
        #expect(server.messages == mails.map(\.message))
        #expect(server.connections == 3)
        #expect(server.commands.count { $0.hasPrefix("EHLO") } == 3)
    }

    @Test("a connection that is too old takes no further mail", arguments: Client.allCases)
    func age(client: Client) async throws {
        let server = try client.server()
        let outcomes = await deliver(mails(3), by: client, to: server) { $0.reuse.age = .zero }
        #expect(outcomes.allSatisfy { $0 == .accepted })
        #expect(server.connections == 3)
    }

    @Test("a connection that waits in vain for a mail ends with QUIT", arguments: Client.allCases)
    func idle(client: Client) async throws {
        let server = try client.server()
        var endpoint = endpoint(server)
        endpoint.reuse.idle = .milliseconds(20)
        let transport = client.transport(endpoint)
        #expect(await transport.deliver(mail) == .accepted)
        try await waitUntil { server.commands.contains("QUIT") }
        #expect(await transport.deliver(mail) == .accepted)
        #expect(server.connections == 2)
    }

    @Test(
        "a connection that the server ends, or on which it takes no further mail, costs no attempt",
        arguments: Client.allCases,
        [nil, "421 4.7.0 enough", "451 4.7.1 too many mails", "250 ok"]
    )
    func endedByServer(client: Client, answer: String?) async throws {
        let server = try client.server(Script(furtherMail: answer))
        let mails = mails(3)
        let outcomes = await deliver(mails, by: client, to: server)
        #expect(outcomes.allSatisfy { $0 == .accepted })
        #expect(server.messages == mails.map(\.message))
        #expect(server.connections == (answer == "250 ok" ? 1 : 3))
    }

    @Test(
        "a server that takes no further mail is asked once more, not for ever",
        arguments: Client.allCases
    )
    func refusedTwice(client: Client) async throws {
        let server = try client.server(Script(furtherMail: "451 later"))
        let transport = client.transport(endpoint(server))
        #expect(await transport.deliver(mail) == .accepted)
        server.behave(Script(answers: ["MAIL": "451 later"]))
        #expect(await transport.deliver(mail) == .tryLater("smtp.451"))
        #expect(server.connections == 2)
    }

    @Test("a refused mail does not touch the next one", arguments: Client.allCases)
    func refusedBetween(client: Client) async throws {
        let server = try client.server(Script(answers: ["RCPT": "550 5.1.1 nobody"]))
        let transport = client.transport(endpoint(server))
        #expect(await transport.deliver(mail) == .refused("smtp.550"))
        server.behave(Script())
        #expect(await transport.deliver(mail) == .accepted)
        #expect(server.messages == [mail.message])
    }

    @Test(
        "a lost answer to the final dot is unknown on an open connection, too",
        arguments: Client.allCases
    )
    func lostAfterReuse(client: Client) async throws {
        let server = try client.server()
        let transport = client.transport(endpoint(server))
        #expect(await transport.deliver(mail) == .accepted)
        server.answerFinalDot(.cut)
        #expect(await transport.deliver(mail) == .unknown("smtp.unanswered"))
        #expect(server.connections == 1)
        #expect(server.messages.count == 2)
    }

    @Test("a cancelled delivery ends soon", arguments: Client.allCases)
    func cancellation(client: Client) async throws {
        let server = try client.server(Script(hangAt: "MAIL"))
        let transport = client.transport(endpoint(server))
        let task = Task { await transport.deliver(mail) }
        try await waitUntil { server.commands.contains { $0.hasPrefix("MAIL") } }
        task.cancel()
        #expect(await task.value == .tryLater("smtp.cancelled"))
    }

    @Test("replies that come byte by byte are whole replies", arguments: Client.allCases)
    func singleBytes(client: Client) async throws {
        let server = try client.server(Script(sendsSingly: true))
        #expect(await client.transport(endpoint(server)).deliver(mail) == .accepted)
        #expect(server.messages == [mail.message])
    }

    @Test(
        "a server that asks for the data of a refused recipient gets no text",
        arguments: Client.allCases
    )
    func dataForNobody(client: Client) async throws {
        let server = try client.server(
            Script(answers: ["RCPT": "550 5.1.1 nobody"], takesDataForNobody: true)
        )
        #expect(await client.transport(endpoint(server)).deliver(mail) == .refused("smtp.550"))
        if client == .nioPipelining { try await waitUntil { server.commands.last == "QUIT" } }
        #expect(server.messages.allSatisfy { $0.isEmpty })
    }

    @Test(
        "a greeting without end is given up",
        arguments: [Client.nio, .nioPipelining],
        ["x", "x\r\n220-"]
    )
    func endlessGreeting(client: Client, part: String) async throws {
        let greeting = "220-" + String(repeating: part, count: 1 << 16)
        let outcome = try await outcome(client, Script(greeting: greeting))
        #expect(outcome == .tryLater("smtp.connection"))
    }

    @Test("a name that leads nowhere means later", arguments: Client.allCases)
    func unknownHost(client: Client) async {
        // Longer than a label may be: no resolver has to be asked.
        let name = String(repeating: "x", count: 64) + ".invalid"
        let endpoint = MailServer(host: name, port: 25, security: .opportunistic)
        #expect(await client.transport(endpoint).deliver(mail) == .tryLater("smtp.resolve"))
    }

    @Test("mails that are handed over at once have a connection each, and share them later")
    func atOnce() async throws {
        let server = try Client.nioPipelining.server()
        let transport = Client.nioPipelining.transport(endpoint(server))
        for _ in 0..<3 {
            await withTaskGroup(of: MailOutcome.self) { group in
                for mail in mails(8) { group.addTask { await transport.deliver(mail) } }
                for await outcome in group { #expect(outcome == .accepted) }
            }
        }
        #expect(server.messages.count == 24)
        #expect(server.connections <= 8)
    }
}
