import MemoCore
import MemoSyncCore
import OutboxCore
import SyncCore
import Testing
import WireCore

@Suite("A change on its way to the relay")
struct SharedPushTests {
    private static let settings =
        #""settings":{"fields":{"signature":\#(Wire.field("Berta"))},"version":12}"#
    private static let deletion = Wire.push(.delete, madeOn: 5, key: .device(Array("d2".utf8)))

    @Test("a change of the settings names itself, its texts and the version that it was made on")
    func settingsRequest() throws {
        let request = try #require(RelayRequest.push(Wire.push(), token: [0x74]))
        #expect("\(request.method)" == "PUT")
        #expect(Wire.text(request.path) == "/v1/settings")
        #expect(request.token == [0x74])
        #expect(request.precondition == .absent)
        let digest = String(Wire.push().digest, radix: 16)
        #expect(
            Wire.text(request.body)
                == #"{"change":{"attempt":2,"digest":""#
                + String(repeating: "0", count: 16 - digest.count) + digest
                + #"","node":"\#(Wire.nodeDigits)","number":3},"fields":{"signature":"Anna"},"settledThrough":2,"time":11}"#
        )
        let later = RelayRequest.push(Wire.push(.update([]), madeOn: 12), token: [])
        #expect(later?.precondition == .version(12))
    }

    @Test("a condition is the header field of the wire format")
    func conditions() {
        let version = RelayRequest.Precondition.version(12).field
        #expect("\(version.name)" == "If-Match")
        #expect(Wire.text(version.value) == "\"12\"")
        let absent = RelayRequest.Precondition.absent.field
        #expect("\(absent.name)" == "If-None-Match")
        #expect(Wire.text(absent.value) == "*")
    }

    @Test("a revocation is the deletion of a device")
    func revocationRequest() throws {
        let request = try #require(RelayRequest.push(Self.deletion, token: [0x74]))
        #expect("\(request.method)" == "DELETE")
        #expect(Wire.text(request.path) == "/v1/devices/d2")
        #expect(request.body.isEmpty)
    }

    @Test("a question names the change")
    func question() {
        let request = RelayRequest.ask(Wire.push().question, token: [])
        #expect("\(request.method)" == "POST")
        #expect(Wire.text(request.path) == "/v1/settings/answer")
        #expect(JSON(decoding: request.body)?[number: "number"] == 3)
        #expect(JSON(decoding: request.body)?[number: "attempt"] == 2)
        #expect(JSON(decoding: request.body)?[string: "node"] == Array(Wire.nodeDigits.utf8))
    }

    @Test("what no device can change is not sent")
    func unsendable() {
        let long = Array(repeating: UInt8(0x61), count: RelayLimits.settingsLength)
        for push in [
            Wire.push(.delete), Wire.push(.create([])), Wire.push(number: 0),
            Wire.push(number: 1 << 53),
            Wire.push(.update([Field(name: Array("a b".utf8), value: [])])),
            Wire.push(.update([Field(name: SharedSetting.signature.name, value: [0xFF])])),
            Wire.push(.update([SharedSetting.signature.field(long)])),
            Wire.push(key: RecordKey(kind: SharedKind.settings.bytes, id: [1])),
            Wire.push(.update([]), key: .device(Array("d2".utf8))),
            Wire.push(.delete, key: .device(Array("../memos".utf8))),
            Wire.push(.delete, key: .device([])),
            Wire.push(.delete, key: RecordKey(kind: SharedKind.memo.bytes, id: [1])),
            Wire.push(.delete, key: RecordKey(kind: [0x78], id: [1])),
        ] {
            #expect(RelayRequest.push(push, token: []) == nil)
        }
    }

    @Test("an accepted change has the relay's version and time, and its own identity")
    func accepted() throws {
        let body = #"{"answer":"accepted","time":10,"version":12}"#
        let stamp = Stamp(time: WallTime(millisecondsSinceEpoch: 10), id: Wire.push().stamp.id)
        let expected = PushAnswer.accepted(id: RecordKey.settings.id, version: 12, stamp: stamp)
        #expect(try Wire.answer(200, body).pushed(Wire.push(), now: Wire.now).content == expected)
        #expect(
            try Wire.answer(200, body).asked(Wire.push().question, now: Wire.now).content
                == expected
        )
    }

    @Test("a conflict brings the relay's settings, or the news that there are none")
    func conflict() throws {
        let body = #"{"answer":"conflict",\#(Self.settings),"time":10}"#
        guard
            case .conflict(let row?, let stamp) =
                try Wire.answer(412, body).pushed(Wire.push(), now: Wire.now).content
        else {
            Issue.record("no conflict")
            return
        }
        #expect(row.version == 12)
        #expect(Wire.text(SharedSetting.signature.value(in: row.fields)) == "Berta")
        #expect(stamp.id == Wire.push().stamp.id)
        let without = try Wire.answer(412, #"{"answer":"conflict","time":10}"#)
            .pushed(Wire.push(), now: Wire.now).content
        guard case .conflict(nil, _) = without else {
            Issue.record("settings out of nothing")
            return
        }
    }

    @Test("a refusal has its reason, a copy of a device gets a new node")
    func refusal() throws {
        let refused = try Wire.answer(422, #"{"answer":"refused","reason":"too-long"}"#)
            .pushed(Wire.push(), now: Wire.now)
        #expect(refused.content == .refused("too-long", nil))
        let copy = try Wire.answer(409, #"{"answer":"new-node"}"#).pushed(
            Wire.push(),
            now: Wire.now
        )
        #expect(copy.content == .newNode)
    }

    @Test("what the relay cannot read is refused, not sent for ever")
    func unreadable() throws {
        for problem in [
            Wire.problem(400, "malformed-body"), Wire.problem(413, "too-large"),
            Wire.problem(428, "precondition-required"),
        ] {
            #expect(
                try problem.pushed(Wire.push(), now: Wire.now).content == .refused(.unreadable, nil)
            )
        }
    }

    @Test("a change that the relay has never heard of has no answer")
    func unheard() throws {
        #expect(
            try Wire.problem(404, "not-found").asked(Wire.push().question, now: Wire.now).content
                == nil
        )
    }

    @Test("a revocation is confirmed with its number alone, and a device that is gone needs none")
    func revocation() throws {
        let push = Self.deletion
        #expect(
            try Wire.answer(204, type: "", version: "15").pushed(push, now: Wire.now).content
                == .accepted(id: push.key.id, version: 15, stamp: push.stamp)
        )
        #expect(
            try Wire.problem(404, "not-found").pushed(push, now: Wire.now).content
                == .conflict(nil, stamp: push.stamp)
        )
        for answer in [
            Wire.answer(204, type: ""), Wire.answer(204, type: "", version: "0"),
            Wire.answer(204, type: "", version: "x"),
            Wire.answer(204, type: "", time: "", version: "1"),
            Wire.answer(200, "<html>", type: "text/html", version: "15"),
            Wire.answer(404, "<html>", type: "text/html"),
        ] {
            #expect(
                failure { () throws(SharingFailure) in try answer.pushed(push, now: Wire.now) }
                    == .notOurAnswer
            )
        }
    }

    @Test("no status but its own carries an answer: an error never confirms a change")
    func statuses() {
        let bodies = [
            (200, #"{"answer":"accepted","time":10,"version":12}"#),
            (412, #"{"answer":"conflict","time":10}"#),
            (422, #"{"answer":"refused","reason":"too-long"}"#), (409, #"{"answer":"new-node"}"#),
        ]
        for (own, body) in bodies {
            for status in [200, 201, 202, 302, 400, 401, 404, 409, 412, 422, 429, 500, 503]
            where status != own {
                let answer = Wire.answer(status, body)
                #expect(
                    failure { () throws(SharingFailure) in
                        try answer.pushed(Wire.push(), now: Wire.now)
                    } != nil,
                    "\(status) \(body)"
                )
            }
        }
    }

    @Test("an answer that cannot be read is none")
    func malformed() {
        for (status, body) in [
            (200, #"{"answer":"accepted","time":10}"#),
            (200, #"{"answer":"accepted","version":1}"#),
            (200, #"{"answer":"accepted","time":10,"version":0}"#), (200, #"{"answer":"done"}"#),
            (200, "{}"), (200, ""), (412, #"{"answer":"conflict"}"#),
            (412, #"{"answer":"conflict","settings":{"fields":{}},"time":1}"#),
            (412, #"{"answer":"conflict","settings":3,"time":1}"#),
            (422, #"{"answer":"refused"}"#), (422, #"{"answer":"refused","reason":""}"#),
            (422, #"{"answer":"refused","reason":"\#(String(repeating: "a", count: 65))"}"#),
        ] {
            let answer = Wire.answer(status, body)
            #expect(
                failure { () throws(SharingFailure) in try answer.pushed(Wire.push(), now: Wire.now)
                }
                    == .notOurAnswer,
                "\(status) \(body)"
            )
        }
        let untimed = Wire.answer(200, #"{"answer":"accepted","time":10,"version":12}"#, time: "")
        #expect(
            failure { () throws(SharingFailure) in try untimed.pushed(Wire.push(), now: Wire.now) }
                != nil
        )
    }

    @Test("a refused token and a wait are told as they are")
    func errors() {
        for answer in [Wire.problem(401, "token-revoked"), Wire.problem(429, "too-many-requests")] {
            let expected = failure { () throws(SharingFailure) in try answer.page(now: Wire.now) }
            #expect(expected != nil)
            #expect(
                failure { () throws(SharingFailure) in try answer.pushed(Wire.push(), now: Wire.now)
                }
                    == expected
            )
            #expect(
                failure { () throws(SharingFailure) in
                    try answer.asked(Wire.push().question, now: Wire.now)
                } == expected
            )
        }
    }
}
