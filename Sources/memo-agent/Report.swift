internal import ArgumentParser
internal import Foundation
internal import MemoKit

/// Says how a command went: to a person on standard error, to a script on standard output.
struct Report {
    let json: Bool

    func success(_ result: [String: String]) {
        if json {
            printObject(result)
        } else if let status = result["status"] {
            FileHandle.standardError.write(Data("memo: \(status)\n".utf8))
        }
    }

    /// Prints what went wrong.
    ///
    /// - Returns: What to throw to end the process.
    func failure(_ message: String, _ status: ExitStatus) -> ExitCode {
        FileHandle.standardError.write(Data("memo: \(message)\n".utf8))
        if json { printObject(["error": message]) }
        return ExitCode(status.rawValue)
    }

    private func printObject(_ object: [String: String]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let line = try? encoder.encode(object) {
            FileHandle.standardOutput.write(line + Data("\n".utf8))
        }
    }
}
