import MemoKit
import Testing

@Suite("The subject of a memo")
struct SubjectRuleTests {
    private static let family = "👨‍👩‍👧‍👦"

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
        #expect(SubjectRule.subject(of: text) == subject)
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
        #expect(SubjectRule.subject(of: text) == subject)
    }

    @Test("a line of 78 characters is kept whole, one of 79 is cut to 78")
    func boundary() {
        let longest = String(repeating: "x", count: 78)
        #expect(SubjectRule.subject(of: longest) == longest)
        let cut = SubjectRule.subject(of: longest + "x")
        #expect(cut == String(repeating: "x", count: 77) + "…")
    }

    @Test("a line of 10,000 characters is cut, and no space is left before the ellipsis")
    func longLine() {
        for line in [
            String(repeating: "word ", count: 2000), String(repeating: "a ", count: 5000),
            String(repeating: "x", count: 10_000),
        ] {
            let subject = SubjectRule.subject(of: line)
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
            let subject = SubjectRule.subject(of: text)
            #expect(subject.allSatisfy { ["x", Character(Self.family), "…"].contains($0) })
            #expect(subject.count <= 78)
        }
        #expect(SubjectRule.subject(of: Self.family + " dinner") == Self.family + " dinner")
    }

    @Test("a flag, a skin tone and a letter with its marks are not split")
    func clusters() {
        for cluster in ["🇯🇵", "👍🏽", "e\u{301}", "한", "क्षि"] {
            let text = String(repeating: cluster, count: 200)
            let subject = SubjectRule.subject(of: text)
            #expect(subject.dropLast().allSatisfy { $0 == Character(cluster) })
            #expect(subject.hasSuffix("…"))
        }
    }

    @Test("Arabic keeps its letters and joiners")
    func arabic() {
        let text = "اشترِ الحليب والخبز\nغدًا"
        #expect(SubjectRule.subject(of: text) == "اشترِ الحليب والخبز")
        #expect(SubjectRule.subject(of: "می\u{200C}خواهم") == "می\u{200C}خواهم")
    }

    @Test("a letter with a thousand marks stays within the bytes of a header")
    func marks() {
        let text = "e" + String(repeating: "\u{301}", count: 1000) + " after"
        let subject = SubjectRule.subject(of: text)
        #expect(subject.utf8.count <= SubjectRule.maximumBytes + 3)
    }
}
