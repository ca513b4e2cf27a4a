import MemoCore
import MemoSyncCore
import OutboxCore
import SyncCore
import Testing
import WireCore

@Suite("A page of an account's changes")
struct AccountPageTests {
    private static let memo =
        #"{"acceptedAt":21,"device":"d2","id":"\#(Wire.memo)","kind":"memo","reason":"smtp.550","status":"bounced","version":4}"#
    private static let device =
        #"{"createdAt":31,"id":"d2","kind":"device","name":"Laptop","version":5}"#
    private static let revoked = #"{"id":"d3","kind":"device","revokedAt":41,"version":6}"#
    private static let settings =
        #"{"fields":{"signature":\#(Wire.field("Anna")),"x-later":\#(Wire.field("", number: 8))},"kind":"settings","version":7}"#

    private func rows(_ answer: RelayAnswer) throws -> [Row] {
        guard case .page(let rows, _, _) = try answer.page(now: Wire.now).content.answer else {
            Issue.record("no page")
            return []
        }
        return rows
    }

    @Test("a request names the cursor, and none where it cannot be part of a path")
    func requests() {
        for (cursor, path): ([UInt8]?, String) in [
            (nil, "/v1/changes"), (Array("ab-1".utf8), "/v1/changes?after=ab-1"),
            (Array("a&b".utf8), "/v1/changes"),
        ] {
            let request = RelayRequest.pull(PullRequest(number: 1, cursor: cursor), token: [0x74])
            #expect("\(request.method)" == "GET")
            #expect(Wire.text(request.path) == path)
            #expect(request.token == [0x74])
        }
    }

    @Test("a memo's row has its status, reason, device and time")
    func memos() throws {
        let row = try #require(try rows(Wire.page([Self.memo])).first)
        let memo = try #require(SharedMemo(row.key, row.fields))
        #expect(row.version == 4)
        #expect(memo.id == OperationID(text: Wire.memo.utf8))
        #expect(memo.status == .bounced("smtp.550"))
        #expect(Wire.text(memo.device) == "d2")
        #expect(memo.acceptedAt.millisecondsSinceEpoch == 21)
        #expect(SharedDevice(row.key, row.fields) == nil)
    }

    @Test("a status of a later relay is kept")
    func laterStatus() throws {
        let told = Self.memo.replacing("bounced", with: "read")
        let row = try #require(try rows(Wire.page([told])).first)
        #expect(SharedMemo(row.key, row.fields)?.status == .unknown(Array("read".utf8)))
    }

    @Test("a device's row has its name and time; a revoked device is a tombstone")
    func devices() throws {
        let rows = try rows(Wire.page([Self.device, Self.revoked]))
        let device = try #require(SharedDevice(rows[0].key, rows[0].fields))
        #expect(Wire.text(device.id) == "d2")
        #expect(Wire.text(device.name) == "Laptop")
        #expect(device.createdAt.millisecondsSinceEpoch == 31)
        #expect(rows[0].deletion == nil)
        #expect(rows[1].key == .device(Array("d3".utf8)))
        #expect(rows[1].deletion?.time.millisecondsSinceEpoch == 41)
        #expect(SharedMemo(rows[0].key, rows[0].fields) == nil)
    }

    @Test("the settings' row has each field with its stamp, also one of a later build")
    func settings() throws {
        let row = try #require(try rows(Wire.page([Self.settings])).first)
        #expect(row.key == .settings)
        #expect(Wire.text(SharedSetting.signature.value(in: row.fields)) == "Anna")
        #expect(SharedSetting.language.value(in: row.fields).isEmpty)
        let stamp = try #require(row.fields[SharedSetting.signature.name]?.stamp)
        #expect(stamp.id == ChangeID(number: 7, node: Wire.node))
        #expect(stamp.time.millisecondsSinceEpoch == 5)
        #expect(row.fields[Array("x-later".utf8)]?.value == [])
    }

    @Test("a row of a later kind is passed over")
    func laterKinds() throws {
        let later = #"{"kind":"label","version":2,"colour":"red"}"#
        #expect(try rows(Wire.page([later, Self.device])).map(\.version) == [5])
    }

    @Test("a page has its cursor, its end, the device that asked and the relay's clock")
    func frame() throws {
        let told = try Wire.page([]).page(now: Wire.now)
        #expect(told.content.answer == .page([], cursor: Array("c1".utf8), hasMore: false))
        #expect(Wire.text(told.content.device) == "d1")
        #expect(told.relayTime.millisecondsSinceEpoch == 1_700_000_000_123)
    }

    @Test("a forgotten cursor is an answer, and only the relay can give it")
    func forgotten() throws {
        let told = try Wire.problem(410, "cursor-forgotten").page(now: Wire.now)
        #expect(told.content.answer == .cursorForgotten)
        for answer in [
            Wire.answer(410, "gone", type: "text/html"), Wire.problem(404, "cursor-forgotten"),
            Wire.answer(410, "{}"),
        ] {
            #expect(failure { () throws(SharingFailure) in try answer.page(now: Wire.now) } != nil)
        }
    }

    @Test("a row that cannot be read refuses the whole page")
    func malformedRows() {
        let rows = [
            "3", "{}", #"{"kind":"memo"}"#, #"{"version":1}"#,
            Self.memo.replacing(#""version":4"#, with: #""version":0"#),
            Self.memo.replacing(#""version":4"#, with: #""version":9007199254740992"#),
            Self.memo.replacing(Wire.memo, with: "x"),
            Self.memo.replacing(#""bounced""#, with: "3"),
            Self.memo.replacing(#""bounced""#, with: #""""#),
            Self.memo.replacing(#""acceptedAt":21,"#, with: ""),
            Self.memo.replacing(#""device":"d2","#, with: ""),
            Self.device.replacing(#""d2""#, with: #""""#),
            Self.device.replacing(#""d2""#, with: #""../x""#),
            Self.device.replacing(#""name":"Laptop","#, with: ""),
            Self.device.replacing(#""createdAt":31,"#, with: ""),
            Self.settings.replacing("{\"signature\"", with: "{\"sig nature\""),
            Self.settings.replacing(Wire.nodeDigits, with: "0123"),
            Self.settings.replacing(Wire.nodeDigits, with: Wire.nodeDigits.uppercased()),
            Self.settings.replacing(#""number":7"#, with: #""number":0"#),
            Self.settings.replacing(#""time":5,"#, with: ""),
            Self.settings.replacing(#""value":"Anna""#, with: #""value":1"#),
            #"{"kind":"settings","version":7}"#,
        ]
        for row in rows {
            let answer = Wire.page([Self.device, row])
            #expect(
                failure { () throws(SharingFailure) in try answer.page(now: Wire.now) }
                    == .notOurAnswer,
                "\(row)"
            )
        }
    }

    @Test("an answer that is no page of the relay's is none")
    func malformedPages() {
        let whole = #"{"cursor":"c1","device":"d1","more":false,"rows":[]}"#
        let answers = [
            Wire.answer(200, whole, type: "text/html"), Wire.answer(200, whole, time: ""),
            Wire.answer(200, whole, time: "yesterday"), Wire.answer(302, whole),
            Wire.answer(200, whole.replacing("c1", with: "")),
            Wire.answer(200, whole.replacing("c1", with: "a b")),
            Wire.answer(200, whole.replacing(#""d1""#, with: #""""#)),
            Wire.answer(200, whole.replacing("false", with: "1")),
            Wire.answer(200, whole.replacing("[]", with: "{}")), Wire.answer(200, "[]"),
            Wire.page(Array(repeating: Self.device, count: RelayLimits.changesPage + 1)),
        ]
        for answer in answers {
            #expect(
                failure { () throws(SharingFailure) in try answer.page(now: Wire.now) }
                    == .notOurAnswer
            )
        }
    }

    @Test(
        "an error is told by its kind",
        arguments: [
            (Wire.problem(401, "unauthorized"), SharingFailure.unauthorized(wasRevoked: false)),
            (Wire.problem(401, "token-revoked"), .unauthorized(wasRevoked: true)),
            (Wire.problem(429, "too-many-requests", wait: "7"), .busy(wait: .seconds(7))),
            (Wire.problem(503, "unavailable"), .busy(wait: nil)),
            (Wire.answer(503, "<html>", type: "text/html"), .busy(wait: nil)),
            (Wire.problem(409, "in-progress", wait: "2"), .busy(wait: .seconds(2))),
            (Wire.problem(404, "not-found"), .unsupported),
            (Wire.problem(405, "method-not-allowed"), .unsupported),
            (Wire.problem(500, "internal-error"), .relay(status: 500)),
            (Wire.answer(502, "<html>", type: "text/html"), .relay(status: 502)),
            (Wire.answer(401, "<html>", type: "text/html"), .notOurAnswer),
            (Wire.answer(404, "<html>", type: "text/html"), .notOurAnswer),
        ]
    )
    func errors(answer: RelayAnswer, expected: SharingFailure) {
        #expect(failure { () throws(SharingFailure) in try answer.page(now: Wire.now) } == expected)
    }
}
