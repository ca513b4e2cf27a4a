import OutboxCore
import OutboxTesting
import RawStructuredFieldValues
import TestSeeds
import Testing
import WireCore

/// RateLimit, draft-ietf-httpapi-ratelimit-headers-10.
@Suite struct RateLimitTests {
    private func read(_ text: String) -> RateLimit? { RateLimit(Array(text.utf8)) }

    @Test(
        "the draft's own examples are read",
        arguments: [
            ("\"default\";r=50;t=30", 50, 30),
            ("\"default\";r=999;pk=:dHJpYWwxMjEzMjM=:", 999, nil),
            ("\"default\";r=300000000;t=60;pk=:QXBwLTk5OQ==:", 300_000_000, 60),
            ("\"problemPolicy\";r=0;t=10", 0, 10),
        ] as [(String, Int, Int64?)]
    )
    func examples(text: String, remaining: Int, seconds: Int64?) throws {
        let limit = try #require(read(text))
        #expect(limit.remaining == remaining)
        #expect(limit.reset == seconds.map { .seconds($0) })
    }

    @Test("the tightest limit counts, and of equal ones the one that lasts longest")
    func tightest() {
        for (text, remaining, seconds) in [
            ("\"minute\";r=2;t=50, \"day\";r=170;t=80000", 2, 50),
            ("\"day\";r=170;t=80000,\"minute\";r=2;t=50", 2, 50),
            ("\"a\";r=0;t=5, \"b\";r=0;t=70 ,\t\"c\";r=0;t=6", 0, 70),
            ("\"a\";r=0, \"b\";r=0;t=7", 0, 7), ("\"a\";r=0;t=7, \"b\";r=0", 0, 7),
            ("\"a,;r=1\\\"\";x=\"r=0,\";r=3;t=4", 3, 4), ("\"a\";r=1;r=2;t=4;t=5", 2, 5),
            (" \"a\"; r=5; t=6;acme;b=?0;c=-1.5;d=to/ken:*;e=*  ", 5, 6),
            ("\"a\";r=-0;t=-00", 0, 0), ("\"a\";x=%\"f%c3%bc,\\\";r=5;y=@-1;t=6", 5, 6),
        ] as [(String, Int, Int64)] {
            #expect(read(text)?.remaining == remaining, "\(text)")
            #expect(read(text)?.reset == .seconds(seconds), "\(text)")
        }
    }

    @Test(
        "section 7: a malformed field is ignored",
        arguments: [
            "", " ", ",", "\"a\"", "\"a\";t=5", "\"a\";r", "\"a\";r=-1", "\"a\";r=1.0",
            "\"a\";r=1;t=-1", "\"a\";r=-",
            "\"a\";r=\"1\"", "\"a\";r=1;t", "a;r=1", "1;r=1", "(\"a\");r=1", "\"a\";r=1,",
            "\"a\";r=1 ; t=1",
            "\"a;r=1", "\"a\";R=1", "\"a\";r=1,,\"b\";r=1", "\"a\";r= 1", "\"a\";r=1;t=1;",
            "\"a\"r=1",
            "\"\u{e9}\";r=1", "\"a\";r=1000000000000000",
            "limit=1",
            "\"a\";r=1\n", "\"a\";r=1\0", "\"\\a\";r=1", "\"a\";r=1, \"b\"", "100, 100;w=60",
        ]
    )
    func malformed(text: String) {
        #expect(read(text) == nil)
    }

    @Test("a field beyond the longest is not read, however well-formed, and a large number is held")
    func limits() {
        let item = "\"a\";r=1"
        func list(_ length: Int) -> String {
            let items = Array(repeating: item, count: length / (item.utf8.count + 1))
            return items.joined(separator: ",")
                + String(repeating: " ", count: length % (item.utf8.count + 1) + 1)
        }
        #expect(list(RateLimit.longest).utf8.count == RateLimit.longest)
        #expect(read(list(RateLimit.longest))?.remaining == 1)
        #expect(read(list(RateLimit.longest) + " ") == nil)
        let large = read("\"a\";r=999999999999999;t=999999999999999")
        #expect(large?.remaining == Int(Int32.max))
        #expect(large?.reset == .seconds(Int64(Int32.max)))
    }

    @Test(
        "a second reader, which follows RFC 9651, agrees about 200,000 fields",
        arguments: TestSeeds["rate-limit"]
    )
    func secondReader(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        // Comments are whole: their values are not looked at.
        let pieces = [
            "\"a\"", "\"", ";r=", ";t=", ",", ", ", ",\t", " ", "1", "0", "15", "999999999999999",
            "\u{e9}", "\"b\";r=3;t=4", ";pk=:YQ==:;y", ";x", "; x=to/ken", ";x=\"q,;\\\"\"",
            ";x=-1.5;z", ";r=-0", ";t=-0", ";x=%\"q,;\\\"",
        ]
        var agreed = 0
        for _ in 0..<200_000 {
            var text = Bool.random(using: &random) ? "\"a\";r=2" : ""
            for _ in 0..<Int.random(in: 0...7, using: &random) {
                text += pieces.randomElement(using: &random)!
            }
            let ours = read(text)
            let theirs = secondReading(Array(text.utf8))
            #expect(ours?.remaining == theirs?.remaining, "\(text)")
            #expect(ours?.reset == theirs?.reset.map { .seconds($0) }, "\(text)")
            agreed += ours == nil ? 0 : 1
        }
        #expect(agreed > 1000)
    }

    /// `nil` also where no items are, or where one is no string or lacks its rest.
    private func secondReading(_ bytes: [UInt8]) -> (remaining: Int, reset: Int64?)? {
        var parser = StructuredFieldValueParser(bytes)
        guard let list = try? parser.parseListFieldValue(), !list.isEmpty else { return nil }
        var limits: [(remaining: Int, reset: Int64?)] = []
        for entry in list {
            guard case .item(let item) = entry, case .string = item.rfc9651BareItem,
                case .integer(let rest)? = item.rfc9651Parameters["r"], rest >= 0
            else { return nil }
            var reset: Int64?
            switch item.rfc9651Parameters["t"] {
            case nil: break
            case .integer(let seconds) where seconds >= 0: reset = seconds
            default: return nil
            }
            limits.append(
                (Int(min(rest, Int64(Int32.max))), reset.map { min($0, Int64(Int32.max)) })
            )
        }
        let least = limits.map(\.remaining).min()!
        let tightest = limits.filter { $0.remaining == least }
        return (least, tightest.compactMap(\.reset).max())
    }
}
