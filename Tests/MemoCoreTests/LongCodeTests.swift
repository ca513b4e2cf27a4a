import MemoCore
import Testing

@Suite("A long code")
struct LongCodeTests {
    private static let code = "7KQX29ABCDEFGHJKMN01"

    private func read(_ text: String) -> String? {
        LongCode.read(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("has 100 bits")
    func size() {
        let alphabet = LongCode.alphabet.description
        #expect(Set(alphabet).count == 32 && alphabet.allSatisfy { $0.isASCII })
        #expect(LongCode.length * 5 == 100)
        #expect(read(Self.code) == Self.code)
    }

    @Test(
        "is read however people write it",
        arguments: [
            "7KQX-29AB-CDEF-GHJK-MN01", "7kqx 29ab cdef ghjk mn01", " 7KQX29ABCDEFGHJKMN01\r\n",
            "7KQX\u{2011}29AB\u{2013}CDEF\u{00A0}GHJK\tMN01", "7KQX-29AB-CDEF-GHJK-MNOI",
            "7KQX-29AB-CDEF-GHJK-MNOL", "7-K-Q-X-29abcdefghjkmno-l",
        ]
    )
    func forms(text: String) {
        #expect(read(text) == Self.code)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "7KQX", "7KQX-29AB-CDEF-GHJK-MN0", "7KQX-29AB-CDEF-GHJK-MN012",
            "7KQX-29AB-CDEF-GHJK-MN0U", "Code: 7KQX-29AB-CDEF-GHJK-MN01",
            "7KQX_29AB_CDEF_GHJK_MN01",
        ]
    )
    func others(text: String) {
        #expect(read(text) == nil)
    }

    @Test("every character counts")
    func characters() {
        let characters = Array(Self.code)
        for place in characters.indices {
            for other in LongCode.alphabet.description {
                var changed = characters
                changed[place] = other
                #expect((read(String(changed)) == Self.code) == (other == characters[place]))
            }
        }
    }
}
