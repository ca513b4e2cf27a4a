import MemoCore
import OutboxCore
import OutboxTesting
import TestSeeds
import Testing

@Suite("The subject of a memo")
struct SubjectRuleTests {
    private static let family = "👨‍👩‍👧‍👦"
    private let day = CalendarDay(year: 2026, month: 11, day: 21)
    private let id = OperationID(high: 0x7000, low: 0x8000_0000_0000_0000)

    private func subject(of text: String) -> String {
        SubjectRule().subject(of: text, day: day, id: id)
    }

    @Test(
        "is its first visible line, trimmed",
        arguments: [
            ("Buy milk", "Buy milk"),
            ("  Buy milk \t", "Buy milk"),
            ("\n\n \t\r\n\u{2028}Buy milk\nand bread", "Buy milk"),
            ("Buy milk\r\nand bread", "Buy milk"),
            ("Buy milk\rand bread", "Buy milk"),
            ("Buy\u{85}milk", "Buy"),
            ("", ""),
            (" \n\u{3000}\t\n", ""),
            ("\u{200B}\n\u{200D}\nmilk", "milk"),
        ]
    )
    func firstLine(text: String, subject: String) {
        #expect(self.subject(of: text) == subject)
    }

    @Test(
        "holds no control and no override, only single spaces",
        arguments: [
            ("a\u{0}b\u{1B}[31mc\u{7F}d\u{9B}e", "a b [31mc d e"),
            ("a\t \u{A0} b", "a b"),
            ("evil\u{202E}txt.exe", "eviltxt.exe"),
            ("\u{FEFF}Buy milk", "Buy milk"),
            ("\u{2066}one\u{2069} two", "one two"),
        ]
    )
    func noControls(text: String, subject: String) {
        #expect(self.subject(of: text) == subject)
    }

    @Test("a line of 78 characters is kept whole, one of 79 is cut to 78")
    func boundary() {
        let longest = String(repeating: "x", count: 78)
        #expect(subject(of: longest) == longest)
        let cut = subject(of: longest + "x")
        #expect(cut == String(repeating: "x", count: 77) + "…")
    }

    @Test("a line of 10,000 characters is cut, and no space is left before the ellipsis")
    func longLine() {
        for line in [
            String(repeating: "word ", count: 2000), String(repeating: "a ", count: 5000),
            String(repeating: "x", count: 10_000),
        ] {
            let subject = self.subject(of: line)
            #expect(subject.count <= 78 && subject.count > 70)
            #expect(subject.hasSuffix("…") && !subject.hasSuffix(" …"))
            #expect(line.hasPrefix(subject.dropLast()))
        }
    }

    @Test("an emoji of several scalars is kept whole or left out")
    func joinedEmoji() {
        for padding in 70...80 {
            let text =
                String(repeating: "x", count: padding) + String(repeating: Self.family, count: 9)
            let subject = self.subject(of: text)
            #expect(subject.allSatisfy { ["x", Character(Self.family), "…"].contains($0) })
            #expect(subject.count <= 78 && subject.count >= 70)
        }
        #expect(subject(of: Self.family + " dinner") == Self.family + " dinner")
    }

    @Test("a flag, a skin tone and a letter with its marks are not split")
    func clusters() {
        for cluster in ["🇯🇵", "👍🏽", "e\u{301}", "한", "क्षि"] {
            let text = String(repeating: cluster, count: 200)
            let subject = self.subject(of: text)
            #expect(subject.dropLast().allSatisfy { $0 == Character(cluster) })
            #expect(subject.count > 20 && subject.hasSuffix("…"))
        }
    }

    @Test("Arabic keeps its letters and joiners")
    func arabic() {
        let text = "اشترِ الحليب والخبز\nغدًا"
        #expect(subject(of: text) == "اشترِ الحليب والخبز")
        #expect(subject(of: "می\u{200C}خواهم") == "می\u{200C}خواهم")
    }

    @Test("a letter with a thousand marks stays within the bytes of a header")
    func marks() {
        let text = "e" + String(repeating: "\u{301}", count: 1000) + " after"
        let subject = self.subject(of: text)
        #expect(subject.utf8.count <= SubjectRule.maximumBytes)
    }

    @Test("a face is asked for character ends only where a line may have to be cut")
    func characterEnds() {
        func asked(_ text: String) -> Int {
            var asked = 0
            _ = SubjectRule().subject(of: text.utf8, day: day, id: id) { line in
                asked += 1
                #expect(line.count < 400)
                return Array(1...line.count)
            }
            return asked
        }
        #expect(asked(String(repeating: "x", count: 10_000)) == 0)
        #expect(asked(String(repeating: "語", count: 78)) == 0)
        #expect(asked(String(repeating: "語", count: 79)) == 1)
        #expect(asked("é" + String(repeating: "x", count: 10_000)) == 1)
    }

    @Test("bytes that are no UTF-8 are passed over")
    func damaged() {
        let texts: [([UInt8], String)] = [
            ([0xFF, 0x61, 0xC3], "a"), ([0xC0, 0x80, 0x61], "a"), ([0xE3, 0x81, 0x61], "a"),
            ([0xED, 0xA0, 0x80, 0x61], "a"), ([0xF4, 0x90, 0x80, 0x80, 0x61], "a"),
            ([0xF0, 0x9F, 0x91, 0x8D, 0x61], "👍a"), ([0xC3, 0xC3, 0xA9], "é"),
        ]
        for (bytes, expected) in texts {
            let subject = SubjectRule().subject(of: bytes, day: day, id: id) { [$0.count] }
            #expect(String(decoding: subject, as: UTF8.self) == expected)
        }
    }

    @Test(
        "random text gives the subject of a naive rule over Swift's characters",
        arguments: TestSeeds["subject-rule"]
    )
    func model(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let pieces = [
            "a", "語", "é", "e\u{301}", "🇯🇵", "👍🏽", Self.family, " ", "  ", "\u{3000}",
            "\u{202E}", "\u{200D}", "\u{0}", "한", "क्षि",
        ]
        for _ in 0..<2000 {
            let count = Int.random(in: 0...160, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
            #expect(subject(of: text) == naive(text), "seed \(seed)")
        }
    }

    /// What the rule promises, written for one line in the plainest way.
    private func naive(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar != "\u{202E}" {
            if scalar.properties.isWhitespace || scalar.value == 0 {
                if let last = scalars.last, last != " " { scalars.append(" ") }
            } else if !scalars.isEmpty || scalar != "\u{200D}" {
                scalars.append(scalar)
            }
        }
        var line = String(scalars)
        while line.hasSuffix(" ") { line.removeLast() }
        if line.count <= 78, line.utf8.count <= 312 { return line }
        while line.count > 77 || line.utf8.count > 309 { line.removeLast() }
        while line.hasSuffix(" ") { line.removeLast() }
        return line + "…"
    }
}
