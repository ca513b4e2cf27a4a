package import OutboxCore

/// Shortened identifiers: the beginning or the end of an identifier's 32 hexadecimal digits.
///
/// The beginning of an identifier is the time of its memo, so that memos of one minute begin alike.
/// A list therefore shows ends.
package enum ShortIdentifier {
    /// The fewest digits that a person has to give.
    static let shortest = 4
    /// The digits that a list shows, where no two of its memos end so.
    static let shown = 6

    /// The digits of a part of an identifier, in lower case and without hyphens.
    ///
    /// - Returns: `nil` for a text that is no part of an identifier, and for fewer than four digits.
    static func digits(of text: String) -> String? {
        let digits = text.lowercased().filter { $0 != "-" }
        let isPart = digits.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
        return isPart && shortest...32 ~= digits.utf8.count ? digits : nil
    }

    /// Whether digits are the beginning or the end of an identifier.
    static func matches(_ digits: String, _ id: OperationID) -> Bool {
        let all = self.all(of: id)
        return all.hasPrefix(digits) || all.hasSuffix(digits)
    }

    /// The ends of identifiers: all of one length, no two alike.
    package static func ends(of ids: [OperationID]) -> [OperationID: String] {
        let texts = ids.map { all(of: $0) }
        let distinct = Set(texts).count
        let length = (shown..<32).first { length in
            Set(texts.map { $0.suffix(length) }).count == distinct
        }
        let ends = texts.map { String($0.suffix(length ?? 32)) }
        return Dictionary(zip(ids, ends)) { first, _ in first }
    }

    private static func all(of id: OperationID) -> String {
        id.description.filter { $0 != "-" }
    }
}
