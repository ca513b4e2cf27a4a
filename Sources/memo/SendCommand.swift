import ArgumentParser
import MemoCore
import MemoKit
import MemoTerminal
import OutboxCore

struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        // No memo begins with this name; the default subcommand needs none.
        commandName: "send-memo",
        abstract: "Send a memo.",
        shouldDisplay: false
    )

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Argument(help: "The words of the memo; - reads standard input.")
    var words: [String] = []

    func run() throws {
        if words.isEmpty, StandardInput.isTerminal {
            Ending.exit(Compose.run(clock: TerminalClock()))
        }
        try Self.send(words: words, isJSON: json)
    }

    static func send(words: [String], isJSON: Bool) throws {
        let text: String
        if words.isEmpty || words == ["-"] {
            text = try StandardInput.readMemo()
        } else {
            try Self.checkArguments()
            text = words.joined(separator: " ")
        }
        try MemoBox.validate(text)
        let box = try MemoBox(folder: .current())
        finish(try box.send(text), in: box, isJSON: isJSON)
    }

    /// Tells the person that a memo is stored, and has it delivered.
    static func finish(_ id: OperationID, in box: MemoBox, isJSON: Bool) {
        if isJSON {
            StandardOutput.write(
                JSON.object([("id", .string(id.description)), ("status", .string("queued"))]).line
            )
        }
        do throws(MemoError) {
            let summons = try box.summonAgent()
            let language = Language.ofThisProcess
            if !isJSON, let failure = box.agentFailure(after: summons) {
                StandardError.complain(language.string(.agentFailed, failure))
            }
            guard StandardError.isTerminal, !isJSON else { return }
            let outcome: CommandText = summons == .noAccount ? .savedSignedOut : .saved
            StandardError.write(language.string(outcome) + "\n")
            for damage in try box.damage(checkingUpTo: 0) {
                StandardError.complain(damage.sentence(in: language))
            }
            if box.warnsOfWaiting() {
                StandardError.write(language.string(CommandText.waitingLong) + "\n")
            }
        } catch {
            // The memo is safe, so this is no failure.
            StandardError.complain(error.sentence(in: .ofThisProcess))
        }
    }

    /// Arguments are bytes; Swift would quietly repair those that are not UTF-8.
    private static func checkArguments() throws {
        for index in 1..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            if String(validatingCString: argument) == nil { throw MemoError.notUTF8 }
        }
    }
}
