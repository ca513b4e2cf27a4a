import MemoCore
import OutboxCore
import OutboxTesting
import TestSeeds
import Testing

@Suite("A subject template")
struct SubjectTemplateTests {
    private let day = CalendarDay(year: 2026, month: 3, day: 9)
    private let id = OperationID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_00AB_CDEF)

    private func subject(_ template: String, _ memo: String = "Buy milk\nand bread") throws
        -> String
    {
        SubjectRule(template: try SubjectTemplate(template.utf8))
            .subject(of: memo, day: day, id: id)
    }

    @Test(
        "is filled in",
        arguments: [
            ("{line}", "Buy milk"), ("", "Buy milk"), (" \t", "Buy milk"),
            ("[memo] {line}", "[memo] Buy milk"),
            ("{date} {line} #{id}", "2026-03-09 Buy milk #abcdef"),
            ("{{{line}}}", "{Buy milk}"), ("Note", "Note"),
            ("  a\u{202E}b\t\tc  {line}  ", "ab c Buy milk"), ("メモ：{line}", "メモ：Buy milk"),
        ]
    )
    func filled(template: String, expected: String) throws {
        #expect(try subject(template) == expected)
    }

    @Test(
        "that cannot be read is refused with what is wrong",
        arguments: [
            ("{", SubjectTemplateError.brace), ("}", .brace), ("a{line", .brace),
            ("{line}}", .brace),
            ("{line}{line2", .brace), ("{{line}", .brace), ("{}", .placeholder),
            ("{LINE}", .placeholder),
            ("{ line }", .placeholder), ("{time}", .placeholder), ("{line} {line}", .placeholder),
            ("{a{b}", .placeholder), (String(repeating: "x", count: 49), .tooLong),
            (String(repeating: "x", count: 201), .tooLong),
            (String(repeating: "{date}", count: 5), .tooLong),
            (String(repeating: "👨‍👩‍👧‍👦", count: 7), .tooLong),
        ]
    )
    func refused(template: String, error: SubjectTemplateError) {
        #expect(throws: error) { try SubjectTemplate(template.utf8) }
    }

    @Test("an endless one is refused without being read")
    func endless() {
        let endless = repeatElement(UInt8(ascii: "x"), count: .max)
        #expect(throws: SubjectTemplateError.tooLong) { try SubjectTemplate(endless) }
    }

    @Test("what it adds stays whole when the line is long")
    func longLine() throws {
        for line in [String(repeating: "word ", count: 99), String(repeating: "語", count: 300)] {
            let subject = try subject("[memo] {line} #{id}", line)
            #expect(subject.hasPrefix("[memo] ") && subject.hasSuffix("… #abcdef"))
            #expect(subject.count <= SubjectRule.maximumLength)
            #expect(subject.count > SubjectRule.maximumLength - 6)
            #expect(subject.utf8.count <= SubjectRule.maximumBytes)
        }
    }

    @Test("identifiers of two memos differ in the subject")
    func distinct() throws {
        let other = OperationID(high: id.high, low: id.low ^ 1)
        let rule = SubjectRule(template: try SubjectTemplate("{line} {id}".utf8))
        #expect(
            rule.subject(of: "a", day: day, id: id) != rule.subject(of: "a", day: day, id: other)
        )
    }

    @Test(
        "a random one is read or refused, and never makes a subject unfit for a header",
        arguments: TestSeeds["subject-template"]
    )
    func random(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let pieces = [
            "{", "}", "{{", "}}", "{line}", "{date}", "{id}", " ", "\t", "é", "語", "x",
            "\u{202E}", "\n", "👨‍👩‍👧‍👦", "{no}", "\0",
        ]
        let lines = [
            "Buy milk", String(repeating: "牛乳を買う", count: 40), "", "\u{301}e",
            String(repeating: "👍🏽", count: 100),
        ]
        var read = 0
        for _ in 0..<3000 {
            let count = Int.random(in: 0...8, using: &generator)
            let source = (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
            guard let template = try? SubjectTemplate(source.utf8) else { continue }
            read += 1
            let line = lines.randomElement(using: &generator)!
            let subject = SubjectRule(template: template).subject(of: line, day: day, id: id)
            #expect(subject.count <= SubjectRule.maximumLength, "seed \(seed): \(source)")
            #expect(subject.utf8.count <= SubjectRule.maximumBytes, "seed \(seed): \(source)")
            #expect(
                !subject.unicodeScalars.contains { $0.properties.generalCategory == .control },
                "seed \(seed): \(source)"
            )
            #expect(!subject.hasPrefix(" ") && !subject.hasSuffix(" "), "seed \(seed): \(source)")
        }
        #expect(read > 300, "seed \(seed)")
    }
}
