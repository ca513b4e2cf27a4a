public import MemoTexts

/// A text that stands below each memo.
public struct Signature: Hashable, Sendable {
    /// The longest signature, in bytes of UTF-8.
    public static let maximumLength = 2000

    /// The signature as UTF-8; empty for no signature.
    public let text: [UInt8]

    /// No signature.
    public static let none = Signature(unchecked: [])

    private init(unchecked text: [UInt8]) {
        self.text = text
    }

    /// The line behind which mail programs look for a signature, with its newline
    /// ([RFC 3676, section 4.3](https://www.rfc-editor.org/rfc/rfc3676#section-4.3)).
    private static var delimiter: [UInt8] { [0x2D, 0x2D, 0x20, 0x0A] }

    /// Makes a signature from a text. Leaves out white space at the text's end, NUL characters,
    /// which mail cannot carry, and the line `-- ` at the text's beginning, which
    /// ``appended(to:)`` adds.
    ///
    /// - Parameter text: UTF-8.
    /// - Throws: ``SignatureTooLong``.
    /// - Complexity: O(``maximumLength``).
    public init(_ text: some Sequence<UInt8>) throws(SignatureTooLong) {
        var kept: [UInt8] = []
        for byte in text where byte != 0 {
            kept.append(byte)
            if kept.count > Self.maximumLength { throw SignatureTooLong() }
        }
        while let last = kept.last, last == 0x20 || (0x09...0x0D).contains(last) {
            kept.removeLast()
        }
        self.text = kept.starts(with: Self.delimiter) ? Array(kept.dropFirst(4)) : kept
    }

    /// A memo with the signature below it, behind the line that mail programs know a signature by.
    /// Without a signature it is the memo, to the byte.
    ///
    /// - Complexity: O(length of both).
    public func appended(to memo: [UInt8]) -> [UInt8] {
        guard !text.isEmpty else { return memo }
        let newline: [UInt8] = memo.last == 0x0A ? [] : [0x0A]
        return memo + newline + Self.delimiter + text
    }
}

/// A signature is longer than ``Signature/maximumLength``.
public struct SignatureTooLong: Error, Hashable, Sendable {
    /// The error. It says no more than its type.
    public init() {}

    /// The sentence that a person reads.
    public var text: AppText { .signatureTooLong }
}
