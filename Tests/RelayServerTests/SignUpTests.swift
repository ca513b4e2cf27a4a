import Hummingbird
import MemoCore
import OutboxCore
import RelayAPI
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A relay for few")
struct SignUpTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func open(_ signUp: SignUp) throws -> Relay<SQLiteRelayStore> {
        try fixture.open {
            $0.verificationRules.signUp = signUp
            $0.trustedProxies = 1
        }
    }

    /// What a stranger sees of an answer, but for the handle and the digits that are right.
    private struct Seen: Equatable {
        let status: HTTPResponse.Status
        let retryAfter: String?
        let digits: Int?
        let isLong: Bool?
        let handleLength: Int?
        let code: ProblemCode?
    }

    private func seen(_ answer: ApplicationAnswer) throws -> Seen {
        let acceptance =
            answer.status == .accepted ? try answer.decoded(VerificationAcceptance.self) : nil
        return Seen(
            status: answer.status,
            retryAfter: answer.headers[.retryAfter],
            digits: acceptance?.digits,
            isLong: acceptance?.longCode,
            handleLength: acceptance?.handle.utf8.count,
            code: answer.status == .accepted ? nil : try answer.problemCode()
        )
    }

    /// Asks for codes of an address all day, and tries a wrong one under each handle.
    private func course(
        of address: String,
        _ signUp: SignUp,
        after accounts: [String],
        inviting invited: [String] = []
    ) async throws -> [Seen] {
        let fixture = try RelayFixture()
        let before = try fixture.open()
        for account in accounts { _ = try await fixture.token(before, address: account) }
        let operators = try OperatorDatabase(folder: fixture.folder.path)
        for address in invited {
            let address = try #require(MailAddress(address))
            #expect(try await operators.invite(address, at: fixture.clock.now) == .invited)
        }
        let mails = fixture.transport.mails.count
        let relay = try fixture.open {
            $0.verificationRules.signUp = signUp
            $0.trustedProxies = 1
        }
        var course: [Seen] = []
        try await relay.application().test(.router) { client in
            for step in 0..<60 {
                fixture.clock.advance(.seconds(step % 20 == 19 ? 3600 : 20))
                let network = "198.51.100.\(step / 4 % 3)"
                let asked = try await client.askCode(address, from: network)
                course.append(try seen(asked))
                guard asked.status == .accepted else { continue }
                try await fixture.deliver(relay)
                let handle = try asked.decoded(VerificationAcceptance.self).handle
                for code in ["000000", "ABCD-EFGH-JKMN-PQRS-TVWX"] {
                    let tried = try await client.confirm(
                        address: address,
                        code: code,
                        handle: handle,
                        from: network
                    )
                    course.append(try seen(tried))
                }
            }
        }
        let isMailed = fixture.transport.mails.dropFirst(mails).contains { $0.recipient == address }
        #expect(isMailed == (accounts + invited).contains(address))
        return course
    }

    @Test(
        "answers an address that may not sign up like one with an account, and mails it nothing",
        arguments: [SignUp.closed, .domains(["members.example"])]
    )
    func sameAnswers(signUp: SignUp) async throws {
        let known = try await course(of: "a@x.example", signUp, after: ["a@x.example"])
        let unknown = try await course(of: "b@x.example", signUp, after: ["a@x.example"])
        let invited = try await course(
            of: "c@x.example",
            signUp,
            after: ["a@x.example"],
            inviting: ["c@x.example"]
        )
        #expect(known == unknown && known == invited)
        #expect(Set(known.map(\.status)) == [.accepted, .tooManyRequests, .forbidden])
    }

    @Test("lets the addresses of its domains sign up, and an older account sign in")
    func domains() async throws {
        _ = try await fixture.token(try open(.open), address: "a@x.example")
        fixture.clock.advance(.seconds(3600))
        let relay = try open(.domains(["members.example"]))
        _ = try await fixture.token(relay, address: "a@x.example")
        _ = try await fixture.token(relay, address: "b@members.example")
    }

    @Test("lets an invited address sign up while it runs, however it is spelled")
    func invited() async throws {
        let relay = try open(.closed)
        let operators = try OperatorDatabase(folder: fixture.folder.path)
        let guest = try #require(MailAddress("Guest@x.example"))
        #expect(try await operators.invite(guest, at: fixture.clock.now) == .invited)
        _ = try await fixture.token(relay, address: "guest@X.example")
        #expect(try operators.invitations(at: fixture.clock.now).isEmpty)
    }

    @Test("signs nobody up by a code that was mailed before it was closed")
    func closedMeanwhile() async throws {
        let before = try open(.open)
        let (handle, code) = try await before.application().test(.router) { client in
            let asked = try await client.askCode(RelayFixture.address)
            let handle = try asked.decoded(VerificationAcceptance.self).handle
            return (handle, try await fixture.newestCode(before))
        }
        let long = try await fixture.newestLongCode(before)
        let relay = try open(.closed)
        try await relay.application().test(.router) { client in
            for code in [code, long] {
                let answer = try await client.confirm(
                    address: RelayFixture.address,
                    code: code,
                    handle: handle
                )
                #expect(try answer.problemCode() == .codeRejected)
            }
        }
    }

    @Test(
        "has young accounts share no third of the memos while it is closed",
        arguments: [true, false]
    )
    func youngAccounts(isClosed: Bool) async throws {
        let before = try open(.open)
        _ = try await fixture.token(before, address: "old@x.example")
        fixture.clock.advance(.seconds(8 * 86_400))
        let young = try await fixture.token(before, address: "young@x.example")
        let relay = try fixture.open {
            $0.memoLimits.servicePerDay = 3
            $0.memoLimits.device.perDay = 3
            $0.verificationRules.signUp = isClosed ? .closed : .open
        }
        let answers = try await relay.application().test(.router) { client in
            var answers: [HTTPResponse.Status] = []
            for number in 0..<3 {
                let memo = MemoRequest(text: "\(number)")
                answers.append(try await client.put(.new(), memo, token: young).status)
            }
            return answers
        }
        let refused: HTTPResponse.Status = isClosed ? .accepted : .serviceUnavailable
        #expect(answers == [.accepted, refused, refused])
    }
}
