import MemoCommandLine
import Testing

@Suite("An argument that is not understood")
struct UnclearArgumentTests {
    @Test("is named by its position, the first from which on nothing is understood")
    func position() {
        func position(_ arguments: String...) -> Int {
            UnclearArgument.position(in: arguments) { !$0.contains("--wrong") }
        }
        #expect(position("--wrong") == 1)
        #expect(position("--wrong", "words") == 1)
        #expect(position("words", "--wrong", "words") == 2)
        #expect(position("words", "words", "--wrong") == 3)
    }

    @Test("is not quoted, whatever the parser's message says")
    func quotes() {
        let harmless = ["--limit must not be negative.", "Missing expected argument '<id>'"]
        for message in harmless {
            #expect(UnclearArgument.isHarmless(message, arguments: ["words"]), "\(message)")
        }
        let quoting = [
            "Unknown option '--words'", "Unexpected argument 'words'",
            "The value 'words' is invalid for '<limit>'", "Unexpected argument '<words>'",
            "Unexpected argument 'don't'",
        ]
        for message in quoting {
            let arguments = ["--words", "<words>", "don't"]
            #expect(!UnclearArgument.isHarmless(message, arguments: arguments), "\(message)")
        }
    }
}
