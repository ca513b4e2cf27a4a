import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("Accepting memos")
struct MemoTests {
    private let fixture: RelayFixture
    private let replayed = HTTPField.Name("\(RelayHeader.idempotentReplayed)")!
    private let key = HTTPField.Name("\(RelayHeader.idempotencyKey)")!

    init() throws {
        fixture = try RelayFixture()
    }

    @Test("a memo is mailed to the token's owner, byte-equal, and its status follows")
    func journey() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let id = OperationID.new()
        let text = "Buy milk 🥛\r\nand\u{0} bread"
        try await relay.application().test(.router) { client in
            let answer = try await client.put(id, MemoRequest(text: text), token: token)
            #expect(answer.status == .accepted)
            #expect(answer.headers[replayed] == nil)
            let acceptance = try answer.decoded(MemoAcceptance.self)
            #expect(acceptance == MemoAcceptance(id: "\(id)", status: .accepted))
            #expect(try await status(client, id, token).status == .accepted)
            try await fixture.deliver(relay)
            #expect(try await status(client, id, token).status == .delivered)
        }
        let mail = try #require(fixture.transport.mails.last)
        #expect(mail.recipient == RelayFixture.address)
        #expect(try DecodedMail(mail.message).body == Array(text.utf8))
        #expect(try DecodedMail(mail.message).subject == "Buy milk 🥛")
    }

    private func status(
        _ client: ApplicationClient,
        _ id: OperationID,
        _ token: String
    ) async throws -> MemoStatus {
        try await client.send(RelayPath.memo(id), method: .get, token: token)
            .decoded(MemoStatus.self)
    }

    @Test(
        "a repeat is answered byte for byte, also after delivery and restart, and mails nothing"
    )
    func replay() async throws {
        var relay = try fixture.open()
        let token = try await fixture.token(relay)
        let id = OperationID.new()
        let memo = MemoRequest(text: "once", subject: "s")
        let first = try await relay.application().test(.router) { client in
            try await client.put(id, memo, token: token)
        }
        try await fixture.deliver(relay)
        let mails = fixture.transport.mails.count
        for _ in 0..<2 {
            relay = try fixture.open()
            try await relay.application().test(.router) { client in
                for headers in [
                    HTTPFields([HTTPField(name: key, value: "\"\(id)\"")]), [key: "\(id)"],
                ] {
                    let again = try await client.post(
                        RelayPath.send,
                        memo,
                        token: token,
                        headers: headers
                    )
                    #expect(again.status == first.status)
                    #expect(again.body == first.body)
                    #expect(again.headers[replayed] == "true")
                }
            }
            try await fixture.deliver(relay)
        }
        #expect(fixture.transport.mails.count == mails)
    }

    @Test("one key for another memo is refused, whatever differs")
    func reusedKey() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            _ = try await client.put(id, MemoRequest(text: "ab", subject: "c"), token: token)
            for memo in [
                MemoRequest(text: "other", subject: "c"), MemoRequest(text: "ab"),
                MemoRequest(text: "ab", subject: ""), MemoRequest(text: "a", subject: "bc"),
            ] {
                let answer = try await client.put(id, memo, token: token)
                #expect(answer.status == .unprocessableContent)
                #expect(try answer.problemCode() == .idempotencyKeyReused)
            }
        }
    }

    @Test("two accounts may use one key for two memos")
    func keysBelongToAccounts() async throws {
        let relay = try fixture.open()
        let tokens = [
            try await fixture.token(relay, address: "one@example.org"),
            try await fixture.token(relay, address: "two@example.org"),
        ]
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            for (index, token) in tokens.enumerated() {
                let answer = try await client.put(id, MemoRequest(text: "\(index)"), token: token)
                #expect(answer.status == .accepted)
                #expect(answer.headers[replayed] == nil)
            }
        }
        try await fixture.deliver(relay)
        let mails = fixture.transport.mails.suffix(2)
        #expect(Set(mails.map(\.recipient)) == ["one@example.org", "two@example.org"])
        #expect(Set(mails.map(\.messageID)).count == 2)
    }

    @Test("of many requests for one memo at once, one makes a mail")
    func concurrentDuplicates() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let before = fixture.transport.mails.count
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let answer = try await client.put(id, MemoRequest(text: "x"), token: token)
                        #expect(answer.status == .accepted)
                        return answer.headers[replayed] == nil
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(fresh == 1)
        }
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == before + 1)
    }

    @Test("no token, a wrong one and a revoked one are told apart from success, and send nothing")
    func authentication() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let other = OperationID.new()
        try await relay.application().test(.router) { client in
            for wrong in [nil, "", "x", token + "x"] {
                let answer = try await client.put(.new(), MemoRequest(text: "x"), token: wrong)
                #expect(answer.status == .unauthorized)
                #expect(try answer.problemCode() == .unauthorized)
                #expect(answer.headers[.wwwAuthenticate] == "Bearer")
            }
            _ = try await client.put(other, MemoRequest(text: "x"), token: token)
            let revoked = try await client.send(
                RelayPath.currentDevice,
                method: .delete,
                token: token
            )
            #expect(revoked.status == .noContent)
            let answer = try await client.put(.new(), MemoRequest(text: "x"), token: token)
            #expect(answer.status == .unauthorized)
            #expect(try answer.problemCode() == .tokenRevoked)
            let status = try await client.send(RelayPath.memo(other), method: .get, token: token)
            #expect(status.status == .unauthorized)
        }
    }

    @Test("a person sees their devices and no revoked ones, and nobody else's memos")
    func devicesAndForeignMemos() async throws {
        let relay = try fixture.open()
        let first = try await fixture.token(relay)
        let second = try await fixture.token(relay)
        let stranger = try await fixture.token(relay, address: "stranger@example.org")
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            _ = try await client.put(id, MemoRequest(text: "x"), token: first)
            #expect(try await status(client, id, second).status == .accepted)
            let foreign = try await client.send(RelayPath.memo(id), method: .get, token: stranger)
            #expect(try foreign.problemCode() == .notFound)
            func devices() async throws -> [Device] {
                try await client.send(RelayPath.devices, method: .get, token: second)
                    .decoded(DeviceList.self).devices
            }
            #expect(try await devices().map(\.name) == ["laptop", "laptop"])
            #expect(try await devices().filter(\.current).count == 1)
            _ = try await client.send(RelayPath.currentDevice, method: .delete, token: first)
            #expect(try await devices().map(\.current) == [true])
        }
    }
}
