/// What another app shares, as the text of one memo.
///
/// The title stands in the first line, from which the subject of the mail is made; the text and the links
/// follow, a line each. What is contained in a line before is not said twice.
struct SharedText: Hashable, Sendable {
    /// The title of the page, or of what is shared.
    var title: String?
    /// The texts.
    var texts: [String] = []
    /// The links.
    var links: [String] = []

    /// The memo; empty where nothing is shared that has a visible character.
    ///
    /// - Complexity: O(parts² × length), for the few parts that an app shares.
    var memo: String {
        var lines: [String] = []
        for part in [title].compactMap(\.self) + texts + links {
            let line = String(
                part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
            )
            guard !line.isEmpty, !lines.contains(where: { $0.contains(line) }) else { continue }
            // A text that has the title in it says it better.
            lines.removeAll { line.contains($0) }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
