/// The texts that are memos: one rule for all faces.
public enum MemoRule {
    /// The longest memo, in bytes of UTF-8, the signature included.
    public static let longest = 1 << 20

    /// Why a text is no memo.
    public enum Refusal: Hashable, Sendable {
        /// The text, or the text with the signature, is longer than ``MemoRule/longest``.
        case tooLong
        /// The text contains a NUL character, which mail cannot carry.
        case containsNUL
        /// The text has no visible character.
        case empty
    }

    /// Checks a text: its length first, then NUL, then whether anything in the text is visible, and
    /// its length with the signature last.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - signature: How many bytes the person's signature adds.
    /// - Returns: `nil` for a memo.
    /// - Complexity: O(length), and O(1) for a text that is longer than ``longest``.
    public static func refusal(of text: [UInt8], signature: Int = 0) -> Refusal? {
        if text.count > longest { return .tooLong }
        if text.contains(0) { return .containsNUL }
        if !SubjectRule.hasLine(text) { return .empty }
        return text.count + signature > longest ? .tooLong : nil
    }
}
