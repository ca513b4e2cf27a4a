public import ArgumentParser
import LibC
import MemoKit
import MemoProcesses
public import MemoTexts

extension ParsableCommand {
    /// Ends the process because of what parsing or running this program's command threw.
    ///
    /// Help and a version go to standard output, with status 0. An ``/MemoProcesses/EndingError`` is said in the
    /// person's language. A command line that is not understood ends with status 64, and none of its
    /// words is quoted: they may be words of a memo, an address or a code.
    ///
    /// - Parameters:
    ///   - error: The thrown error. An `ExitCode` has been explained already, and ends the process in
    ///     silence.
    ///   - advice: The lines that follow on what is wrong with the command line.
    public static func end(with error: any Error, advice: (Language) -> String) -> Never {
        if let error = error as? any EndingError { Ending.fail(error) }
        let code = exitCode(for: error)
        let language = Language.ofThisProcess
        if code.isSuccess, language != .english {
            let page = fullMessage(for: error, columns: HelpPage.unbroken)
            if page.hasPrefix("OVERVIEW: ") {
                let help = HelpPage(english: page, program: _commandName)
                StandardOutput.write(help.text(in: language, columns: columnsOfTerminal()))
                Ending.exit(.success)
            }
        }
        if code.isSuccess, !(error is ExitCode) {
            StandardOutput.write(fullMessage(for: error) + "\n")
            Ending.exit(.success)
        }
        if error is ExitCode { exit(withError: error) }
        StandardError.complain(complaint(about: error, in: language))
        StandardError.write(advice(language) + "\n")
        Ending.exit(code == .validationFailure ? .usage : .internalError)
    }

    private static func complaint(about error: any Error, in language: Language) -> String {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let message = message(for: error)
        if UnclearArgument.isHarmless(message, arguments: arguments) {
            guard let name = UnclearArgument.missing(message) else { return message }
            return language.string(.argumentMissing, name)
        }
        let position = UnclearArgument.position(in: arguments) { arguments in
            do {
                _ = try parseAsRoot(arguments)
                return true
            } catch {
                // More arguments may complete a command line that only lacks some.
                return UnclearArgument.missing(Self.message(for: error)) != nil
            }
        }
        return language.string(.argumentUnclear, "\(position)")
    }

    private static func columnsOfTerminal() -> Int {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
