import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import Testing
import WireCore

@testable import MemoKit

/// Account, settings and open sign-in are JSON within the seal.
@Suite("A sealed document")
struct StoredDocumentTests {
    private let temporary = try! TemporaryFolder()

    /// A box whose table holds this JSON, sealed.
    private func box(_ json: String, in table: String, as kind: OperationKind) throws -> MemoBox {
        let box = try MemoBox(folder: temporary.folder)
        let columns = try SealedBytes(
            sealing: Array(json.utf8),
            kind: kind,
            with: box.outbox.sealer
        ).columns
        try box.storage.write { connection in
            _ = try connection.run(
                """
                INSERT OR REPLACE INTO \(table) (number, id, created_at, sealed) VALUES (1, ?, ?, ?)
                """,
                columns.id,
                columns.createdAt,
                columns.record
            )
        }
        return box
    }

    @Test(
        "is read as Foundation's encoder wrote it, with its escapes, and with members of later builds"
    )
    func foundations() throws {
        let settings = try box(
            #"{"later":{"a":[1]},"signature":"\tAnn \"\\\b\u0001\r\nü","subjectTemplate":"{line}/x"}"#,
            in: "memo_settings",
            as: .settings
        ).settings()
        #expect(settings.signature.text == Array("\tAnn \"\\\u{8}\u{1}\r\nü".utf8))
        #expect(settings.templateSource == "{line}/x")
        let account = try box(
            #"{"address":"a@b.example","relay":"https://r.example","token":"t"}"#,
            in: "memo_account",
            as: .account
        ).account()
        #expect(
            account == Account(relay: "https://r.example", address: "a@b.example", token: "t")
        )
    }

    @Test("is written as Foundation's encoder writes it")
    func written() throws {
        struct Wire: Codable {
            var address = "a@b.example"
            var relay = "https://r.example"
            var token = "t"
        }
        let wire = Wire()
        let account = Account(relay: wire.relay, address: wire.address, token: wire.token)
        #expect(try account.json.encoded() == RelayJSON.encode(wire))
    }

    @Test(
        "that is no such object is damaged",
        arguments: ["", "null", "[]", #"{"signature":1}"#, #"{"signature":"a"} x"#]
    )
    func damaged(json: String) throws {
        let box = try box(json, in: "memo_settings", as: .settings)
        #expect(throws: MemoError.settingsDamaged) { try box.settings() }
    }
}
