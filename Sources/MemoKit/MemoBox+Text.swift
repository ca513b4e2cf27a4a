import RelayAPI

extension MemoBox {
    /// The longest memo, in bytes of UTF-8.
    public static var maximumTextLength: Int { RelayLimits.textLength }

    /// Checks what ``send(_:)`` checks, and stores nothing.
    ///
    /// - Throws: ``MemoError/emptyMemo`` for a text without a visible character,
    ///   ``MemoError/containsNUL``, ``MemoError/tooLong(limit:)``.
    public static func validate(_ text: String) throws(MemoError) {
        var text = text
        let failure: MemoError? = text.withUTF8 { bytes in
            if bytes.count > maximumTextLength { return .tooLong(limit: maximumTextLength) }
            if bytes.contains(0) { return .containsNUL }
            return nil
        }
        if let failure { throw failure }
        if text.unicodeScalars.allSatisfy(\.properties.isWhitespace) { throw .emptyMemo }
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
