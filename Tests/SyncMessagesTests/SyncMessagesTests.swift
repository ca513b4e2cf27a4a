import Foundation
import OutboxCore
import SyncCore
import SyncMessages
import Testing

@Suite struct SyncMessagesTests {
    private static let id = ChangeID(number: 7, node: NodeID(high: .max, low: 1))
    private static let stamp = Stamp(time: WallTime(millisecondsSinceEpoch: -5), id: id)
    private static let key = RecordKey(kind: [0xFF, 0], id: [])
    private static let fields = [
        Field(name: [0xC3], value: [0, 0x80], stamp: stamp), Field(name: [], value: []),
    ]
    private static let row = Row(
        key: key,
        version: 9_007_199_254_740_993,
        fields: fields,
        deletion: stamp,
        createdAs: [1]
    )
    private static let bareRow = Row(key: key, version: 1, fields: [])

    private func repeats<Message: Codable & Equatable>(_ message: Message) throws {
        let data = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(Message.self, from: data) == message)
    }

    @Test("each message is the same after writing and reading")
    func roundTrips() throws {
        try repeats(PullRequest(number: 1, cursor: nil))
        try repeats(PullRequest(number: .max, cursor: []))
        try repeats(PullAnswer.page([Self.row, Self.bareRow], cursor: [0xFF], hasMore: true))
        try repeats(PullAnswer.page([], cursor: [], hasMore: false))
        try repeats(PullAnswer.cursorForgotten)
        let writes: [Write] = [
            .create(Self.fields), .update([]), .put(Self.fields), .delete,
        ]
        for write in writes {
            let request = PushRequest(
                stamp: Self.stamp,
                attempt: .max,
                key: Self.key,
                madeOn: 3,
                write: write,
                settledThrough: 6
            )
            try repeats(request)
            try repeats(request.question)
        }
        try repeats(PushAnswer.accepted(id: [0, 255], version: 4, stamp: Self.stamp))
        for row in [Self.row, nil] {
            try repeats(PushAnswer.conflict(row, stamp: Self.stamp))
            try repeats(PushAnswer.refused("too-long", row))
        }
        try repeats(PushAnswer.newNode)
        try repeats([PushAnswer?.none, .newNode])
    }

    @Test("the form is the one that the article describes, for servers in other languages")
    func form() throws {
        let request = PushRequest(
            stamp: Stamp(
                time: WallTime(millisecondsSinceEpoch: 1_800_000_000_000),
                id: ChangeID(number: 2, node: NodeID(high: 0xAB, low: 1))
            ),
            attempt: 1,
            key: RecordKey(kind: Array("item".utf8), id: Array("new".utf8)),
            madeOn: 0,
            write: .create([Field(name: Array("name".utf8), value: Array("milk".utf8))]),
            settledThrough: 1
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(request), as: UTF8.self)
        #expect(
            text == """
                {"attempt":1,"fields":[{"name":"bmFtZQ==","value":"bWlsaw=="}],\
                "key":{"id":"bmV3","kind":"aXRlbQ=="},"madeOn":0,"settledThrough":1,\
                "stamp":{"change":{"node":["00000000000000ab","0000000000000001"],"number":2},\
                "time":1800000000000},"write":"create"}
                """
        )
    }

    @Test(
        "a message of another form is an error, and no answer",
        arguments: [
            "", "{}", "[]", #"{"answer":"approved"}"#, #"{"answer":"accepted"}"#,
            #"{"answer":"refused","reason":7}"#, #"{"answer":"conflict"}"#,
            #"{"answer":"accepted","id":"?","version":1,"stamp":STAMP}"#,
            #"{"answer":"accepted","id":"","version":-1,"stamp":STAMP}"#,
            #"{"answer":"accepted","id":"","version":1,"stamp":{"time":0,"change":{"number":1,"node":["0"]}}}"#,
            #"{"answer":"accepted","id":"","version":1,"stamp":{"time":0,"change":{"number":1,"node":[ONE]}}}"#,
            #"{"answer":"accepted","id":"","version":1,"stamp":{"time":0,"change":{"number":1,"node":[ONE,"+000000000000001"]}}}"#,
        ]
    )
    func malformed(text: String) {
        let text = text.replacing(
            "STAMP",
            with: #"{"time":0,"change":{"number":1,"node":[ONE,ONE]}}"#
        ).replacing("ONE", with: #""0000000000000001""#)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PushAnswer.self, from: Data(text.utf8))
        }
    }

    @Test("the whole of the malformed stamps' neighbour is an answer")
    func wellFormed() throws {
        let text = """
            {"answer":"accepted","id":"","version":1,"stamp":{"time":0,"change":\
            {"number":1,"node":["0000000000000001","0000000000000001"]}},"later":true}
            """
        let answer = try JSONDecoder().decode(PushAnswer.self, from: Data(text.utf8))
        guard case .accepted(id: [], version: 1, _) = answer else {
            Issue.record("not accepted")
            return
        }
    }

    @Test("a row of more fields than the limit is refused before they are put into order")
    func manyFields() throws {
        func row(_ count: Int) -> Data {
            let fields = (0..<count).map { number in
                let name = Data("\(number)".utf8).base64EncodedString()
                return #"{"name":"\#(name)","value":""}"#
            }
            let text = fields.joined(separator: ",")
            return Data(#"{"key":{"kind":"","id":""},"version":1,"fields":[\#(text)]}"#.utf8)
        }
        let most = SyncMessageLimits.fields
        #expect(try JSONDecoder().decode(Row.self, from: row(most)).fields.count == most)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Row.self, from: row(most + 1))
        }
    }
}
