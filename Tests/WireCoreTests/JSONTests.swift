import Testing
import WireCore

@Suite("JSON")
struct JSONTests {
    @Test("is read back as it was written")
    func roundTrip() throws {
        let text = Array("\u{0}\u{1F}\"\\\n\u{7F}é漢😀".utf8)
        let value = JSON.object([
            ("a", .array([.number(-12), .bool(true), .null])), ("b", .string(text)),
        ])
        let read = try #require(JSON(decoding: value.encoded()))
        #expect(read["b"]?.string == text)
        #expect(read["a"]?.array?.first?.number == -12)
    }

    @Test("escapes are read, surrogate pairs too")
    func escapes() {
        let bytes = Array("{\"a\":\"\\ud83d\\ude00\\u00e9\"}".utf8)
        #expect(JSON(decoding: bytes)?["a"]?.string == Array("😀é".utf8))
    }

    @Test(
        "is not read when it is malformed or nested too deeply",
        arguments: [
            "", "{", "{\"a\"}", "[1,]", "\"\\ud800\"", "\"\u{1}\"", "nul", "1 2", "{\"a\":1,}",
            "01x",
            "[[[[[[[[[[1]]]]]]]]]]",
        ]
    )
    func malformed(text: String) {
        #expect(JSON(decoding: Array(text.utf8)) == nil)
    }
}
