import NIOSSL
import OutboxCore
import Testing

@testable import RelayServer

@Suite("Delivery by SMTP in TLS", .timeLimit(.minutes(60)))
struct SMTPOverTLSTests {
    private let mail = QueuedMail(
        sender: "memo@relay.example",
        recipient: "somebody@example.org",
        messageID: "0a1b@relay.example",
        message: Array("Subject: x\r\n\r\nbody\r\n".utf8)
    )

    private func endpoint(
        _ server: TLSMailServer,
        _ security: MailServer.Security,
        host: String = "localhost",
        credentials: MailServer.Credentials? = nil
    ) -> MailServer {
        MailServer(host: host, port: server.port, security: security, credentials: credentials)
    }

    private func outcome(_ endpoint: MailServer) async throws -> MailOutcome {
        let roots = try TLSMailServer.authority
        return await NIOSMTPTransport(endpoint: endpoint, roots: roots).deliver(mail)
    }

    @Test("a mail arrives in TLS, from the first byte on or after STARTTLS")
    func protected() async throws {
        for (beginning, security) in [
            (TLSMailServer.Beginning.atOnce, MailServer.Security.implicit),
            (.startTLS(), .require), (.startTLS(), .opportunistic),
        ] {
            for extensions in [[], ["PIPELINING"]] {
                let server = try await TLSMailServer(beginning, offering: extensions)
                #expect(try await outcome(endpoint(server, security)) == .accepted)
                #expect(server.messages == ["Subject: x\r\n\r\nbody"])
                let inPlain = server.lines.filter { !$0.isProtected }.map(\.text)
                #expect(
                    inPlain == (security == .implicit ? [] : ["EHLO relay.example", "STARTTLS"])
                )
            }
        }
    }

    @Test("user and password are said in TLS only", arguments: ["AUTH PLAIN", "AUTH LOGIN"])
    func authentication(mechanism: String) async throws {
        let server = try await TLSMailServer(.startTLS(), offering: [mechanism])
        let user = MailServer.Credentials(user: "user", password: "password")
        #expect(try await outcome(endpoint(server, .require, credentials: user)) == .accepted)
        let login = server.lines.filter { $0.text.hasPrefix("AUTH") }
        #expect(login.count == 1 && login.allSatisfy { $0.isProtected })
    }

    @Test(
        "a certificate of another name, or of an authority that nobody knows, gets no mail",
        arguments: MailServer.Security.all
    )
    func untrusted(security: MailServer.Security) async throws {
        let beginning = security == .implicit ? TLSMailServer.Beginning.atOnce : .startTLS()
        let server = try await TLSMailServer(beginning)
        let otherName = endpoint(server, security, host: "127.0.0.1")
        #expect(try await outcome(otherName) == .tryLater("smtp.tls"))
        let sameName = endpoint(server, security)
        for client in [SMTPTransportTests.Client.curl, .nio] {
            #expect(await client.transport(sameName).deliver(mail) == .tryLater("smtp.tls"))
        }
        #expect(server.messages.isEmpty)
        #expect(server.lines.allSatisfy { !$0.isProtected })
    }

    @Test(
        "bytes in plain behind the answer to STARTTLS end the connection (CVE-2011-0411)",
        arguments: MailServer.Security.startTLS
    )
    func injection(security: MailServer.Security) async throws {
        let server = try await TLSMailServer(
            .startTLS(injected: "250-test\r\n250 AUTH PLAIN\r\n"),
            offering: ["AUTH PLAIN"]
        )
        let user = MailServer.Credentials(user: "user", password: "password")
        let endpoint = endpoint(server, security, credentials: user)
        #expect(try await outcome(endpoint) == .tryLater("smtp.connection"))
        #expect(
            await SMTPTransport(endpoint: endpoint).deliver(mail) == .tryLater("smtp.connection")
        )
        #expect(server.lines.allSatisfy { ["EHLO", "STAR", "QUIT"].contains($0.text.prefix(4)) })
    }

    @Test("a server in plain where TLS is expected gets no mail")
    func inPlain() async throws {
        let server = try SMTPTransportTests.Client.nio.server()
        let endpoint = MailServer(host: "127.0.0.1", port: Int(server.port), security: .implicit)
        for client in [SMTPTransportTests.Client.curl, .nio] {
            #expect(await client.transport(endpoint).deliver(mail) == .tryLater("smtp.tls"))
        }
        #expect(server.messages.isEmpty)
    }

    @Test("several mails share one connection in TLS")
    func reuse() async throws {
        let server = try await TLSMailServer(.atOnce, offering: ["PIPELINING"])
        let roots = try TLSMailServer.authority
        var endpoint = endpoint(server, .implicit)
        // However long each mail takes.
        (endpoint.reuse.idle, endpoint.reuse.age) = (.seconds(3600), .seconds(3600))
        let transport = NIOSMTPTransport(endpoint: endpoint, roots: roots)
        for _ in 0..<3 { #expect(await transport.deliver(mail) == .accepted) }
        #expect(server.messages.count == 3)
        #expect(server.lines.count { $0.text.hasPrefix("EHLO") } == 1)
    }
}

extension MailServer.Security {
    fileprivate static let all: [Self] = [.implicit, .require, .opportunistic]
    fileprivate static let startTLS: [Self] = [.require, .opportunistic]
}
