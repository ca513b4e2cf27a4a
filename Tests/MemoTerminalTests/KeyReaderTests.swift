import OutboxTesting
import TestSeeds
import Testing

@testable import MemoTerminal

@Suite("What a terminal sends becomes keys")
struct KeyReaderTests {
    private func keys(_ bytes: [UInt8]) -> [KeyReader.Key] {
        var reader = KeyReader()
        reader.append(bytes)
        var keys: [KeyReader.Key] = []
        while let key = reader.next() { keys.append(key) }
        return keys
    }

    private func text(_ string: String) -> KeyReader.Key {
        .text(string.unicodeScalars.map(\.value))
    }

    @Test("text, controls and sequences are told apart")
    func kinds() {
        #expect(
            keys(Array("aü\u{4}\u{1B}[A\u{1B}OB\u{1B}b\u{1B}[1;5Cz".utf8)) == [
                text("aü"), .control(4, alt: false), .sequence("[A"), .sequence("OB"),
                .control(0x62, alt: true), .sequence("[1;5C"), text("z"),
            ]
        )
    }

    @Test("every kind of line end is one newline, in a paste and outside")
    func lineEnds() {
        #expect(keys(Array("a\rb\r\nc\nd\r\re".utf8)) == [text("a\nb\nc\nd\n\ne")])
        #expect(
            keys(Array("\u{1B}[200~a\rb\r\nc\u{1B}[201~".utf8)) == [
                .paste("a\nb\nc".unicodeScalars.map(\.value))
            ]
        )
    }

    @Test("controls within a paste do nothing, least of all send")
    func pastedControls() {
        #expect(
            keys(Array("\u{1B}[200~a\u{4}\u{3}\u{1B}[31mb\u{0}\u{1B}[201~".utf8)) == [
                .paste("a[31mb".unicodeScalars.map(\.value))
            ]
        )
    }

    @Test("the same keys come out wherever the bytes are split")
    func splits() {
        let bytes = Array("aü日👍\u{1B}[A\u{1B}[200~x\r\n👍\u{1B}[201~b\u{4}".utf8)
        let whole = keys(bytes)
        for split in bytes.indices {
            var reader = KeyReader()
            var result: [KeyReader.Key] = []
            for part in [bytes[..<split], bytes[split...]] {
                reader.append(part)
                while let key = reader.next() { result.append(key) }
            }
            #expect(joined(result) == joined(whole), "split at \(split)")
            #expect(reader.patience == nil)
        }
    }

    /// Adjacent runs of text are one text.
    private func joined(_ keys: [KeyReader.Key]) -> [KeyReader.Key] {
        keys.reduce(into: []) { result, key in
            if case .text(let more) = key, case .text(let before) = result.last {
                result[result.count - 1] = .text(before + more)
            } else {
                result.append(key)
            }
        }
    }

    @Test("bytes that are not UTF-8 are dropped, and block nothing")
    func invalid() {
        #expect(
            keys([0x61, 0xFF, 0x62, 0xC3, 0x28, 0x04]) == [text("ab("), .control(4, alt: false)]
        )
        #expect(keys([0xFF, 0xFE, 0x04]) == [.control(4, alt: false)])
    }

    @Test("an escape that nothing follows is given up without a trace")
    func loneEscape() {
        var reader = KeyReader()
        reader.append([0x1B])
        #expect(reader.next() == nil)
        #expect(reader.patience == 50)
        reader.abandon()
        reader.append([0x61])
        #expect(reader.next() == text("a"))
    }

    @Test("a character whose bytes come slowly is waited for", arguments: ["ü", "日", "👍"])
    func slowCharacter(_ character: String) {
        var reader = KeyReader()
        for byte in character.utf8.dropLast() {
            reader.append([byte])
            #expect(reader.next() == nil)
            #expect(reader.patience == nil)
            reader.abandon()
        }
        reader.append([Array(character.utf8).last!])
        #expect(reader.next() == text(character))
    }

    @Test("a sequence that has begun is waited for longer than an escape, and then given up")
    func slowSequence() {
        var reader = KeyReader()
        for byte in Array("\u{1B}[20".utf8) { reader.append([byte]) }
        #expect(reader.next() == nil)
        #expect(reader.patience == 500)
        reader.abandon()
        reader.append([0x61])
        #expect(reader.next() == text("a"))
    }

    @Test("random bytes never trap and never stall", arguments: TestSeeds["key-reader"])
    func random(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let alphabet: [UInt8] = [
            0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E, 0x0D, 0x0A, 0x61, 0xC3, 0xE6, 0xF0, 0x9F, 4,
        ]
        for _ in 0..<2000 {
            var reader = KeyReader()
            for _ in 0..<4 {
                let count = Int.random(in: 0..<20, using: &generator)
                reader.append((0..<count).map { _ in alphabet.randomElement(using: &generator)! })
                for step in 0... {
                    guard reader.next() != nil else { break }
                    #expect(step < 1000)
                }
            }
        }
    }
}
