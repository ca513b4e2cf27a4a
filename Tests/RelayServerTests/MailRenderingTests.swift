import Foundation
import OutboxCore
import TemporaryFolders
import Testing
import Waiting

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The rendered mail")
struct MailRenderingTests {
    static let texts: [String] = [
        "a",
        "no newline at the end",
        "a newline at the end\n",
        "\n\n",
        " ",
        "trailing space \nand tab\t\n",
        "carriage\rreturn, line\nfeed, both\r\nand again\r",
        "nul \0, bell \u{7}, escape \u{1B}, delete \u{7F}",
        "👩‍👩‍👧‍👦 and 🏳️‍🌈 and e\u{301}",
        "مرحبا بالعالم\nסלאם",
        "From here\n.\n..\n.hidden\nFrom there\nFromage",
        String(repeating: "x", count: 74) + ".dot" + String(repeating: "y", count: 72) + "From z",
        "= =20 =?utf-8?Q?x?= ===",
        String(repeating: "é", count: 10_000) + "\nsecond line",
        String(repeating: "long ", count: 2000),
        "\u{2028}line separator\u{85}next line",
        "a" + String(repeating: "\u{301}", count: 3000),
    ]

    private func render(_ text: String, subject: String? = nil) throws -> QueuedMail {
        let from = try #require(MailAddress("memo@relay.example"))
        let to = try #require(MailAddress("somebody@example.org"))
        return MailRenderer(from: from).render(
            MailRenderer.Content(
                to: to,
                replyTo: to,
                subject: MailSubject(asked: subject, memo: text),
                text: text,
                token: "0123456789abcdef",
                date: WallTime(millisecondsSinceEpoch: 1_795_236_598_123)
            )
        )
    }

    @Test("the body decodes byte-equal to the memo", arguments: texts)
    func bodyIsByteEqual(text: String) throws {
        let mail = try render(text)
        #expect(try DecodedMail(mail.message).body == Array(text.utf8))
    }

    @Test(
        "a memo of 1 MiB decodes byte-equal, whatever it consists of",
        arguments: ["x", "\n", "\0", "x\n", "日本語"]
    )
    func longBodyIsByteEqual(unit: String) throws {
        let text = String(repeating: unit, count: (1 << 20) / unit.utf8.count)
        let message = try render(text).message
        #expect(try DecodedMail(message).body == Array(text.utf8))
        // Base64 in lines, and the header.
        #expect(message.count <= text.utf8.count * 14 / 10 + 2048)
    }

    @Test(
        "a long text is in base64 where that is shorter, a short one stays readable",
        arguments: [
            (String(repeating: "\n", count: 1024), "quoted-printable"),
            (String(repeating: "\n", count: 1025), "base64"),
            (String(repeating: "words and words ", count: 5000), "quoted-printable"),
            (String(repeating: "\0", count: 5000), "base64"),
        ]
    )
    func encoding(text: String, expected: String) throws {
        let mail = try DecodedMail(render(text).message)
        #expect(mail.header("Content-Transfer-Encoding") == expected)
        #expect(mail.body == Array(text.utf8))
    }

    @Test(
        "lines are short ASCII, end in CR LF, and none starts with a dot or From",
        arguments: texts
    )
    func linesAreSafe(text: String) throws {
        let message = String(decoding: try render(text).message, as: UTF8.self).unicodeScalars
        #expect(
            message.allSatisfy { $0.value < 127 && ($0.value >= 32 || $0 == "\r" || $0 == "\n") }
        )
        let lines = String(message).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { !$0.contains("\r") && !$0.contains("\n") })
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        let body = try #require(lines.firstIndex(of: ""))
        #expect(lines[body...].allSatisfy { !$0.hasPrefix(".") && !$0.hasPrefix("From ") })
        #expect(lines.last == "")
    }

    @Test("headers are what mailboxes and mail servers ask for")
    func headers() throws {
        let mail = try DecodedMail(render("Buy milk\nand bread").message)
        #expect(mail.header("From") == "Simple Memo <memo@relay.example>")
        #expect(mail.header("To") == "<somebody@example.org>")
        #expect(mail.header("Reply-To") == "<somebody@example.org>")
        #expect(mail.header("Date") == "Sat, 21 Nov 2026 04:49:58 +0000")
        #expect(mail.header("Message-ID") == "<0123456789abcdef@relay.example>")
        #expect(mail.header("Subject") == "Buy milk")
        #expect(mail.header("MIME-Version") == "1.0")
        #expect(mail.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(mail.header("Content-Transfer-Encoding") == "quoted-printable")
        #expect(mail.header("Auto-Submitted") == "auto-generated")
        #expect(mail.header("X-Entity-Ref-ID") == "0123456789abcdef")
        #expect(mail.headers.count == 11)
    }

    @Test("a control character in a subject cannot make a header")
    func subjectCannotInject() throws {
        let subject = "hi\r\nBcc: <thief@example.net>\0\u{1B}\u{2028}x"
        let mail = try DecodedMail(render("text", subject: subject).message)
        #expect(mail.header("Bcc") == nil)
        #expect(mail.subject == "hi  Bcc: <thief@example.net>   x" || mail.headers.count == 11)
        #expect(MailSubject(asked: subject, memo: "").text == "hi  Bcc: <thief@example.net>   x")
    }

    @Test(
        "an empty subject becomes the first line, and an empty line Memo",
        arguments: [
            (nil, "first\nsecond", "first"), ("", "first", "first"), (" \t", "first", "first"),
            (nil, "\n \r\n  third  \n", "third"), (nil, "\n\0", "Memo"),
            ("asked", "first", "asked"),
        ] as [(String?, String, String)]
    )
    func subjectFallsBack(asked: String?, memo: String, expected: String) {
        #expect(MailSubject(asked: asked, memo: memo).text == expected)
    }

    @Test("a long subject is cut between characters and decodes to what was cut", arguments: texts)
    func subjectIsFolded(text: String) throws {
        let subject = MailSubject(asked: nil, memo: text)
        #expect(subject.text.count <= MailSubject.maximumCharacters)
        #expect(subject.text.utf8.count <= MailSubject.maximumBytes)
        let decoded = try DecodedMail(Array((subject.header + "\r\n").utf8)).subject
        #expect(Array(decoded.utf8) == Array(subject.text.utf8) || subject.text.contains("  "))
        for word in subject.header.split(whereSeparator: \.isWhitespace) where word.hasPrefix("=?")
        {
            #expect(word.utf8.count <= 75)
        }
    }

    @Test(
        "a subject is cut as the device cuts one: no white space before the ellipsis, never nothing",
        arguments: [
            (String(repeating: "x", count: 118) + " yz", String(repeating: "x", count: 118) + "…"),
            (String(repeating: "é", count: 117) + "  yz", String(repeating: "é", count: 117) + "…"),
            ("a" + String(repeating: "\u{301}", count: 3000), "…"),
            (String(repeating: "x", count: 120), String(repeating: "x", count: 120)),
            (String(repeating: "x", count: 121), String(repeating: "x", count: 119) + "…"),
            (String(repeating: "日", count: 1 << 18), String(repeating: "日", count: 119) + "…"),
        ]
    )
    func cut(line: String, subject: String) {
        #expect(MailSubject(asked: line, memo: "").text == subject)
        #expect(MailSubject(asked: nil, memo: line).text == subject)
    }

    @Test("no encoded word splits a character")
    func charactersStayWhole() throws {
        let family = "👩‍👩‍👧‍👦"
        let header = MailSubject(asked: String(repeating: family, count: 12), memo: "").header
        let words = header.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("=?") }
        #expect(words.count > 1)
        for word in words {
            let data = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
            let text = try #require(String(validating: data, as: UTF8.self))
            #expect(text.allSatisfy { String($0) == family || $0 == "…" })
        }
    }

    @Test("the queue's form of a mail reads back, and nothing shorter does")
    func queuedFormReadsBack() throws {
        var mail = try render("text")
        for memo in [nil, OperationID(high: 1, low: 2)] {
            mail.memo = memo
            let bytes = mail.encoded()
            #expect(QueuedMail(decoding: bytes) == mail)
            let headerLength = bytes.count - mail.message.count
            for length in 0..<headerLength {
                #expect(QueuedMail(decoding: Array(bytes.prefix(length))) == nil)
            }
        }
    }

    @Test(
        "Python's email package reads the same body and subject",
        .enabled(
            if: Requirement.isMet(FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")),
            "needs /usr/bin/python3"
        )
    )
    func pythonAgrees() async throws {
        let folder = try TemporaryFolder()
        for (index, text) in Self.texts.enumerated() {
            let mail = try render(text)
            let subject = MailSubject(asked: nil, memo: text).text
            for (name, bytes) in [
                ("eml", mail.message), ("lf.eml", mail.message.filter { $0 != 0x0D }),
                ("text", Array(text.utf8)), ("subject", Array(subject.utf8)),
            ] {
                let url = URL(fileURLWithPath: "\(folder.path)/\(index).\(name)")
                try Data(bytes).write(to: url)
            }
        }
        let script = """
            import email, email.policy, sys
            folder, count = sys.argv[1], int(sys.argv[2])
            read = lambda i, name: open(f'{folder}/{i}.{name}', 'rb').read()
            for i in range(count):
                for name in ('eml', 'lf.eml'):
                    mail = email.message_from_bytes(read(i, name), policy=email.policy.default)
                    assert not mail.defects, i
                    assert mail.get_payload(decode=True) == read(i, 'text'), i
                    assert str(mail['subject']).encode() == read(i, 'subject'), i
            """
        let arguments = ["-c", script, folder.path, String(Self.texts.count)]
        let status = try await onOwnThread {
            let python = Process()
            python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            python.arguments = arguments
            try python.run()
            python.waitUntilExit()
            return python.terminationStatus
        }
        #expect(status == 0)
    }
}
