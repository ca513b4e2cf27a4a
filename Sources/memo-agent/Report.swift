import ArgumentParser
import MemoKit
import MemoProcesses
import MemoTexts
import WireCore

/// Reports a command's result: to a person on standard error, to a script on standard output.
struct Report {
    let json: Bool

    let language = Language.ofThisProcess

    init(json: Bool) {
        self.json = json
    }

    func success(_ result: [String: String], _ words: (Language) -> String) {
        printObject(result)
        if !json { tell(words(language)) }
    }

    /// Reports a failure: to the person in their language, to a script in English.
    ///
    /// - Returns: The error that ends the process.
    func failure(_ error: some EndingError) -> ExitCode {
        failure(error.sentence(in: language), error.description, error.exitStatus)
    }

    /// Reports a failure that is not an error, as ``failure(_:)`` does.
    func failure(_ text: CommandText, _ status: ExitStatus) -> ExitCode {
        failure(language.string(text), Language.english.string(text), status)
    }

    private func failure(_ words: String, _ english: String, _ status: ExitStatus) -> ExitCode {
        tell(words)
        printObject(["error": english])
        return ExitCode(status.rawValue)
    }

    private func tell(_ words: String) {
        StandardError.complain(words)
    }

    /// Tells the person a result of several sentences, where no script asks for it.
    func tell(_ sentences: [String]) {
        if !json { sentences.forEach(tell) }
    }

    /// Prints the result for a script, where one asks for it.
    func print(_ members: [(String, JSON)]) {
        if json { StandardOutput.write(JSON.object(members).line) }
    }

    private func printObject(_ object: [String: String]) {
        print(object.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) })
    }
}
