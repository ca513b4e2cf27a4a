/// Says where a command line is not understood, without its words, which may be words of a memo.
public enum UnclearArgument {
    /// The most arguments at which the position is looked for; the time grows with their square.
    static let most = 200

    /// Whether a parser's message quotes nothing but placeholders such as `<id>`.
    public static func isHarmless(_ message: String, arguments: [String]) -> Bool {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        return parts.indices.allSatisfy { index in
            let part = parts[index]
            return index % 2 == 0
                || part.hasPrefix("<") && part.hasSuffix(">")
                    && !arguments.contains { $0.has(part) }
        }
    }

    /// The name of the argument that a command line lacks, such as `<id>`; `nil` for the message of
    /// another fault.
    static func missing(_ message: String) -> String? {
        let lead = "Missing expected argument '"
        guard message.hasPrefix(lead), message.hasSuffix("'") else { return nil }
        return String(message.dropFirst(lead.count).dropLast())
    }

    /// The number of the first argument, counted from 1, from which on nothing is understood.
    ///
    /// - Parameters:
    ///   - arguments: A command line that is not understood.
    ///   - isUnderstood: Whether a command line is understood.
    public static func position(
        in arguments: [String],
        isUnderstood: ([String]) -> Bool
    ) -> Int {
        let lengths = 1..<max(1, min(arguments.count, most))
        return (lengths.last { isUnderstood(Array(arguments.prefix($0))) } ?? 0) + 1
    }
}

extension String {
    /// Whether a part of this text is `part`. The standard library's search for a text brings the
    /// parser of regular expressions, a tenth of `memo`.
    fileprivate func has(_ part: Substring) -> Bool {
        indices.contains { self[$0...].hasPrefix(part) }
    }
}
