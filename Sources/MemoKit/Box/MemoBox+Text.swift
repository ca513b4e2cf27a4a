import MemoCore

extension MemoBox {
    /// The longest memo, in bytes of UTF-8.
    public static var maximumTextLength: Int { MemoRule.longest }

    /// Checks what ``send(_:of:)`` checks of any memo, and stores nothing. ``send(_:of:)`` counts the
    /// person's signature, too.
    ///
    /// - Throws: ``MemoError/emptyMemo`` for a text without a visible character,
    ///   ``MemoError/containsNUL``, ``MemoError/tooLong(limit:)``.
    public static func validate(_ text: String) throws(MemoError) {
        try validate(text, signature: 0)
    }

    /// - Parameter signature: How many bytes the signature adds.
    static func validate(_ text: String, signature: Int) throws(MemoError) {
        switch MemoRule.refusal(of: Array(text.utf8), signature: signature) {
        case .tooLong: throw .tooLong(limit: maximumTextLength - signature)
        case .containsNUL: throw .containsNUL
        case .empty: throw .emptyMemo
        case nil: return
        }
    }

    /// Reads bytes from outside as a memo.
    ///
    /// - Throws: ``MemoError/notUTF8``, or what ``validate(_:)`` throws.
    public static func text(decoding bytes: [UInt8]) throws(MemoError) -> String {
        guard bytes.count <= maximumTextLength else { throw .tooLong(limit: maximumTextLength) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        try validate(text)
        return text
    }
}
