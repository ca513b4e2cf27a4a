/// A memo that was probably meant as a command.
///
/// | words | taken for a command |
/// |---|---|
/// | one | within two edits of a command |
/// | several | the first within one edit; within two where the second word is a subcommand of that command, or an option |
/// | `version` | always |
///
/// An edit changes, adds or leaves out one letter, or swaps two neighbours. Several words need the
/// closer likeness because a memo often begins with a short word, and "urgent" is two edits from
/// "agent".
public enum MistypedCommand {
    /// The command line that a person may have meant; `nil` for words that are a memo.
    ///
    /// - Parameters:
    ///   - words: The words of the memo.
    ///   - commands: The names of the commands, each with the names of its subcommands.
    public static func suggestion(
        for words: [String],
        among commands: [(name: String, subcommands: [String])]
    ) -> String? {
        guard let first = words.first?.lowercased() else { return nil }
        if words.count == 1, first == "version" { return "memo --version" }
        // A command's own name is no mistake: the parser has taken the words for a memo on purpose.
        let near = commands.map { ($0, distance(first, $0.name)) }.filter { $0.1 > 0 }
        guard let (command, edits) = near.min(by: { $0.1 < $1.1 }) else { return nil }
        let second = words.dropFirst().first
        let isFollowed = second.map { $0.hasPrefix("-") || command.subcommands.contains($0) }
        let most = isFollowed ?? true ? 2 : 1
        return edits <= most ? "memo \(command.name)" : nil
    }

    /// The number of edits between two words: optimal string alignment.
    ///
    /// - Returns: A number beyond any that is asked for, where one word is much longer.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        guard abs(left.count - right.count) <= 2, !left.isEmpty, !right.isEmpty else { return 99 }
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in 1...left.count {
            var next = [i] + Array(repeating: 0, count: right.count)
            for j in 1...right.count {
                let change = left[i - 1] == right[j - 1] ? 0 : 1
                next[j] = min(row[j] + 1, next[j - 1] + 1, row[j - 1] + change)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    next[j] = min(next[j], before[j - 2] + 1)
                }
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
