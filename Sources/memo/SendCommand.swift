import ArgumentParser
import MemoCore
import MemoKit
import MemoProcesses
import MemoTerminal
import MemoTexts
import OutboxCore
import WireCore

struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        // No memo begins with this name; the default subcommand needs none.
        commandName: "send-memo",
        abstract: "Send a memo.",
        shouldDisplay: false
    )

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Flag(help: "Throw away the draft that the next memo would open.")
    var discardDraft = false

    @Argument(help: "The words of the memo; - reads standard input.")
    var words: [String] = []

    func validate() throws {
        guard !discardDraft || words.isEmpty else {
            throw ValidationError("--discard-draft goes without a memo.")
        }
    }

    func run() throws {
        if discardDraft {
            let number = try MemoBox(folder: .current()).discardDrafts()
            StandardError.write(Language.ofThisProcess.string(.draftsDiscarded, "\(number)") + "\n")
            return
        }
        try Self.run(words, isJSON: json, clock: TerminalClock())
    }

    /// Sends the words, else standard input; without words and on a terminal, composes.
    ///
    /// - Parameter clock: Knows when the process started.
    static func run(_ words: [String], isJSON: Bool, clock: TerminalClock) throws {
        if words.isEmpty, StandardInput.isTerminal {
            Ending.exit(Compose.run(clock: clock))
        }
        if StandardInput.isTerminal, StandardError.isTerminal {
            try checkForCommand(words)
        }
        try send(words: words, isJSON: isJSON)
    }

    /// - Throws: An exit status, where a person may have meant a command.
    private static func checkForCommand(_ words: [String]) throws {
        let suggestion = MistypedCommand.suggestion(for: words, among: Memo.commands)
        guard let suggestion else { return }
        StandardError.complain(Language.ofThisProcess.string(.didYouMean, suggestion))
        throw ExitCode(ExitStatus.usage.rawValue)
    }

    static func send(words: [String], isJSON: Bool) throws {
        let text: String
        if words.isEmpty || words == ["-"] {
            text = try StandardInput.readMemo()
        } else {
            try Self.checkArguments()
            // By hand: `joined` looks up conformances while running.
            text = words.dropFirst().reduce(into: words[0]) { $0 += " " + $1 }
        }
        try MemoBox.validate(text)
        let box = try MemoBox(folder: .current())
        finish(try box.send(text), in: box, isJSON: isJSON)
    }

    /// Tells the person that a memo is stored, and has it delivered.
    static func finish(_ id: OperationID, in box: MemoBox, isJSON: Bool) {
        // Last: a failure to write ends the process.
        defer {
            if isJSON {
                StandardOutput.write(
                    JSON.object([("id", .string(id.description)), ("status", .string("queued"))])
                        .line,
                    orSay: .outputFailedStored
                )
            }
        }
        do throws(MemoError) {
            let summons = try box.summonAgent()
            let language = Language.ofThisProcess
            if !isJSON, let failure = box.agentFailure(after: summons) {
                StandardError.complain(language.string(.agentFailed, failure))
            }
            guard StandardError.isTerminal, !isJSON else { return }
            let answer = try box.sendAnswer(to: id, after: summons)
            StandardError.write(answer.prospect.sentence(in: language) + "\n")
            for damage in try box.damage(checkingUpTo: 0) {
                StandardError.complain(damage.sentence(in: language))
            }
            for addition in answer.additions {
                switch addition {
                case .notArrived:
                    let failures = try box.unseenFailures()
                    StandardError.complain(
                        MemoError.memosNotArrived(failures).sentence(in: language)
                    )
                case .late where box.warnsOfWaiting():
                    StandardError.write(language.string(CommandText.waitingLong) + "\n")
                case .late: break
                }
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
