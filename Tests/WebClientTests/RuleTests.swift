import MemoCore
import OutboxCore
import SimulatedBrowser
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
        let kept = OperationHead.quarantined(reason: .notAuthentic, head: head).encoded()
        guard case .quarantined(_, let inner)? = OperationHead(decoding: kept) else {
            Issue.record("not read back")
            return
        }
        #expect(inner == head)
    }
}
