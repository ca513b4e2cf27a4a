import Foundation
import MemoKit
import OutboxTesting
import SimulatedBrowser
import TemporaryFolders
import Testing

@testable import WebClient

/// What a face does with a text that a person sends.
private enum Verdict: Hashable {
    case taken, tooLong, containsNUL, empty
}

@Suite struct MemoFaceTests {
    private static let signature = "Regards"

    @Test("the terminal's side and the web app take the same memos, and refuse others alike")
    func faces() throws {
        let place = try TemporaryFolder()
        let boxes = try [false, true].map { try Self.box(in: place, isSigned: $0) }
        var random = SeededRandom(seed: 11)
        var counts: [Verdict: Int] = [:]
        for index in 0..<1000 {
            let isSigned = Bool.random(using: &random)
            let memo = Corpus.memo(index, isSigned: isSigned, using: &random)
            let verdict = try Self.verdict(of: boxes[isSigned ? 1 : 0], on: memo)
            #expect(
                Self.verdictOfWebApp(on: memo, isSigned: isSigned) == verdict,
                "memo \(index), signed: \(isSigned), \(Corpus.shown(memo))"
            )
            counts[verdict, default: 0] += 1
        }
        print("compared 1000 memos:", counts.map { "\($0.key) \($0.value)" }.sorted())
        for verdict: Verdict in [.taken, .tooLong, .containsNUL, .empty] {
            #expect(counts[verdict, default: 0] >= 3, "the memos must put the faces to the test")
        }
    }

    private static func box(in place: TemporaryFolder, isSigned: Bool) throws -> MemoBox {
        let box = try MemoBox(
            folder: DataFolder(path: place.file("signed-\(isSigned)")),
            keys: .file
        )
        guard isSigned else { return box }
        var settings = try box.settings()
        try settings.setSignature(signature)
        try box.setSettings(settings)
        return box
    }

    private static func verdict(of box: MemoBox, on memo: String) throws -> Verdict {
        do {
            try box.send(memo)
            return .taken
        } catch .tooLong {
            return .tooLong
        } catch .containsNUL {
            return .containsNUL
        } catch .emptyMemo {
            return .empty
        }
    }

    /// - Returns: `nil` where the web app does anything else.
    private static func verdictOfWebApp(on memo: String, isSigned: Bool) -> Verdict? {
        let browser = Browser()
        let page = browser.open()
        if isSigned { page.choose(.signature, signature) }
        browser.settle()
        let before = page.texts[.notice]
        page.send(memo)
        guard browser.rows(.outbox).isEmpty else {
            return page.values[.memo] == [] && browser.rows(.history).count == 1 ? .taken : nil
        }
        guard page.values[.memo] == memo.bytes, browser.rows(.history).isEmpty else { return nil }
        guard let notice = page.texts[.notice], notice != before else { return .empty }
        if notice.contains("1 MiB") { return .tooLong }
        return notice.contains("NUL") ? .containsNUL : nil
    }
}

/// Memos that a rule may judge wrongly.
private enum Corpus {
    private static let longest = 1 << 20
    /// What the signature of the tests adds to a memo.
    private static let signatureLength = "\n-- \nRegards".utf8.count

    /// Controls; white space and line ends; invisible characters; marks, joiners and selectors
    /// without a letter; characters that turn the direction; what can be seen.
    private static let pieces = [
        "\0", "\u{1}", "\u{8}", "\u{1B}", "\u{7F}", "\u{80}", "\u{9F}",
        " ", "\t", "\n", "\r\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{A0}", "\u{1680}", "\u{2000}",
        "\u{2003}", "\u{200A}", "\u{2028}", "\u{2029}", "\u{202F}", "\u{205F}", "\u{3000}",
        "\u{200B}", "\u{200C}", "\u{2060}", "\u{2063}", "\u{2064}", "\u{FEFF}", "\u{AD}",
        "\u{180E}", "\u{3164}", "\u{2800}", "\u{E0020}",
        "\u{301}", "\u{20DD}", "\u{34F}", "\u{200D}", "\u{FE00}", "\u{FE0F}", "\u{E0100}",
        "\u{200E}", "\u{200F}", "\u{61C}", "\u{202A}", "\u{202C}", "\u{202E}", "\u{2066}",
        "\u{2069}",
        "x", "é", "e\u{301}", "👍", "👩‍👩‍👧", "🇩🇪", "שלום", "日本", "\u{FFFD}", "\u{10FFFF}",
        "-- \n", "\"\\",
    ]

    static func memo(_ index: Int, isSigned: Bool, using random: inout SeededRandom) -> String {
        if index < pieces.count { return pieces[index] }
        if index % 80 == 0 { return atTheLimit(isSigned: isSigned, using: &random) }
        // From a few only, so that many memos have nothing visible.
        let few = (0..<3).map { _ in pieces.randomElement(using: &random) ?? "" }
        return (0..<Int.random(in: 0...8, using: &random))
            .map { _ in few.randomElement(using: &random) ?? "" }.joined()
    }

    /// A byte below, at or above the limit, the signature's bytes counted or not.
    private static func atTheLimit(isSigned: Bool, using random: inout SeededRandom) -> String {
        let isFull = isSigned && Bool.random(using: &random)
        let length =
            longest - (isFull ? signatureLength : 0) + Int.random(in: -1...1, using: &random)
        let (filling, rest) =
            [("x", "x"), ("é", "x"), ("😀", "x"), (" ", " "), ("\u{200B}", " "), ("x", "\0")]
            .randomElement(using: &random) ?? ("x", "x")
        let count = (length - 1) / filling.utf8.count
        let text = String(repeating: filling, count: count)
        return text + String(repeating: rest, count: length - text.utf8.count)
    }

    static func shown(_ memo: String) -> String {
        let start = memo.unicodeScalars.prefix(20).map { "U+" + String($0.value, radix: 16) }
        return "\(memo.utf8.count) bytes: " + start.joined(separator: " ")
    }
}
