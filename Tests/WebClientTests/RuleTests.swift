import OutboxCore
import Testing

@testable import WebClient

@Suite struct RuleTests {
    @Test("names cross the border under the numbers of their cases")
    func names() {
        let written = "\(Name.all)".split(separator: " ", omittingEmptySubsequences: false)
        #expect(written.count == Name.allCases.count)
        for (name, text) in zip(Name.allCases, written).dropFirst() {
            let parts = text.split(separator: "-")
            let joined = parts.dropFirst().reduce(String(parts[0])) {
                $0 + $1.prefix(1).uppercased() + $1.dropFirst()
            }
            #expect(joined == "\(name)")
        }
    }

    @Test(
        "only what was typed since is left of a field",
        arguments: [
            ("abc", "abc", ""), ("abcd", "abc", "d"), ("xabc", "abc", "x"), ("abXc", "abc", "X"),
            ("ab", "abc", ""), ("", "abc", ""), ("é!", "é", "!"), ("aa", "a", "a"),
            ("日曜日", "日本", "曜日"),
        ]
    )
    func remainder(current: String, sent: String, rest: String) {
        #expect(Remainder.of(current.bytes, sent: sent.bytes) == rest.bytes)
    }

    @Test("JSON is read back as it was written")
    func json() throws {
        let text = "\u{0}\u{1F}\"\\\n\u{7F}é漢😀".bytes
        let value = JSON.object([
            ("a", .array([.number(-12), .bool(true), .null])), ("b", .string(text)),
        ])
        let read = try #require(JSON(decoding: value.encoded()))
        #expect(read["b"]?.string == text)
        #expect(read["a"]?.array?.first?.number == -12)
        #expect(
            JSON(decoding: "{\"a\":\"\\ud83d\\ude00\\u00e9\"}".bytes)?["a"]?.string == "😀é".bytes
        )
    }

    @Test(
        "what is no JSON is not read",
        arguments: [
            "", "{", "{\"a\"}", "[1,]", "\"\\ud800\"", "\"\u{1}\"", "nul", "1 2", "{\"a\":1,}",
            "01x",
            "[[[[[[[[[[1]]]]]]]]]]",
        ]
    )
    func noJSON(text: String) {
        #expect(JSON(decoding: text.bytes) == nil)
    }

    @Test("a head is read back as it was written, and what is damaged is not read")
    func heads() {
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        let id = OperationID(time: now, random: (1, 2))
        let head = OperationHead.queued(Envelope(id: id, kind: .memo, createdAt: now)).encoded()
        for index in head.indices.dropFirst(9) {
            var damaged = head
            damaged[index] ^= 1
            #expect(OperationHead(decoding: damaged) == nil)
        }
        let kept = OperationHead.quarantined(reason: .unopened, head: head).encoded()
        guard case .quarantined(_, let inner)? = OperationHead(decoding: kept) else {
            Issue.record("not read back")
            return
        }
        #expect(inner == head)
    }
}
