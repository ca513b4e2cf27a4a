import MemoCore

/// An ASCII mail address that is safe to put into a header and into SMTP: a dot-atom, `@`, and a
/// host name ([RFC 5322, section 3.4.1](https://www.rfc-editor.org/rfc/rfc5322#section-3.4.1)).
///
/// Quoted local parts, comments, address literals and non-ASCII addresses are refused.
public struct MailAddress: Hashable, Sendable {
    /// The part before the `@`, as given: whether its case matters is for its own server to decide.
    public let localPart: String
    /// The part after the `@`, in lower case.
    public let domain: String

    /// - Returns: The address; `nil` for any other text, also for an address with white space
    ///   around it.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= RelayLimits.addressLength,
            let at = bytes.lastIndex(of: UInt8(ascii: "@")),
            Self.isDotAtom(bytes[..<at]), Self.isHostName(bytes[(at + 1)...])
        else { return nil }
        localPart = String(decoding: bytes[..<at], as: UTF8.self)
        domain = String(decoding: bytes[(at + 1)...], as: UTF8.self).lowercased()
    }

    /// `local-part@domain`.
    public var text: String { localPart + "@" + domain }

    /// The text of the address in lower case: equal for the spellings of an address that have one
    /// account.
    package var identity: String { text.lowercased() }

    private static func isDotAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= 64
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
    }

    private static func isHostName(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            let hyphen = UInt8(ascii: "-")
            return (1...63).contains($0.count) && $0.first != hyphen && $0.last != hyphen
                && $0.allSatisfy { isLetterOrDigit($0) || $0 == hyphen }
        }
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
