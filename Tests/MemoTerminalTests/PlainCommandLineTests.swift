import ArgumentParser
import MemoTerminal
import Testing

@testable import memo

@Suite("A command line without a parser")
struct PlainCommandLineTests {
    /// The arguments of which all command lines up to a length are made.
    private static let arguments = [
        "word", "", "-", "--", "--json", "--version", "--help", "-h", "--discard-draft",
        "--unknown",
        "-x", "-1", "a-b", "—", "history", "help", "send-memo", "Login",
    ]

    /// All command lines of at most three arguments.
    private static let lines: [[String]] = (0..<3).reduce(into: [[]]) { lines, length in
        for line in lines where line.count == length {
            lines += arguments.map { line + [$0] }
        }
    }

    private func plain(_ line: [String]) -> PlainCommandLine? {
        PlainCommandLine(line, isCommand: Memo.isCommand)
    }

    @Test("is what the parser makes of it", arguments: 0...3)
    func agreesWithTheParser(length: Int) throws {
        for line in Self.lines where line.count == length {
            switch plain(line) {
            case nil: continue
            case .version: #expect(line == ["--version"])
            case .text(let words): #expect(["--"] + words == line)
            case .words(let words, let isJSON):
                let command = try #require(try Memo.parseAsRoot(line) as? SendCommand, "\(line)")
                #expect(command.words == words && command.json == isJSON, "\(line)")
                #expect(!command.discardDraft)
            }
        }
    }

    @Test("has every memo of words, every question for the version, and no command")
    func reach() {
        #expect(plain([]) == .words([], isJSON: false))
        #expect(plain(["-"]) == .words(["-"], isJSON: false))
        #expect(plain(["Buy", "milk"]) == .words(["Buy", "milk"], isJSON: false))
        #expect(plain(["--json", "history"]) == .words(["history"], isJSON: true))
        #expect(plain(["word", "history", "--json"]) == .words(["word", "history"], isJSON: true))
        #expect(plain(["--", "--help"]) == .text(["--help"]))
        #expect(plain(["--version"]) == .version)
        for command in Memo.configuration.subcommands {
            #expect(plain([command._commandName]) == nil)
        }
    }

    @Test("does not ask for a type's name: every command has a name of its own")
    func names() {
        var commands = Memo.configuration.subcommands
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            commands += command.configuration.subcommands
        }
    }
}
