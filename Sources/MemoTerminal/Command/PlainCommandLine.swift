/// A command line of `memo` that needs no argument parser: the words of a memo, or the question for
/// the version.
///
/// Building the parser, and its first dynamic casts, take longer than storing a memo.
public enum PlainCommandLine: Hashable, Sendable {
    /// The words of a memo, which may be a mistyped command; none, or a dash alone, for standard input.
    case words([String], isJSON: Bool)
    /// Words behind `--`: a memo, whatever they look like.
    case text([String])
    /// `--version` alone.
    case version

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the program's name.
    ///   - isCommand: Whether the parser takes a first argument for the name of a command.
    /// - Returns: `nil` for a command line that the parser decides on: with a command's name in the
    ///   first place, or with an option other than one `--json`.
    public init?(_ arguments: [String], isCommand: (String) -> Bool) {
        switch arguments.first {
        case "--version" where arguments.count == 1:
            self = .version
            return
        case "--":
            self = .text(Array(arguments.dropFirst()))
            return
        default: break
        }
        let words = arguments.filter { $0 != "--json" }
        let isPlain = words.allSatisfy { $0 == "-" || !$0.utf8.starts(with: "-".utf8) }
        guard isPlain, arguments.count - words.count <= 1 else { return nil }
        if let first = arguments.first, isCommand(first) { return nil }
        self = .words(words, isJSON: words.count < arguments.count)
    }
}
