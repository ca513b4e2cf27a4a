import MemoCore

/// Digits that prove access to an inbox.
struct VerificationCode: Hashable, Sendable {
    let digits: String

    /// A uniformly random code from the system's cryptographic source.
    static func random(digits: Int) -> VerificationCode {
        let zeroToNine = UInt8(ascii: "0")...UInt8(ascii: "9")
        let text = (0..<digits).map { _ in UInt8.random(in: zeroToNine) }
        return VerificationCode(unchecked: String(decoding: text, as: UTF8.self))
    }

    /// - Returns: The code; `nil` for a text that no code has.
    init?(_ text: String) {
        let zeroToNine = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard RelayLimits.codeLength...RelayLimits.longestCode ~= text.utf8.count,
            text.utf8.allSatisfy(zeroToNine.contains)
        else { return nil }
        digits = text
    }

    private init(unchecked digits: String) {
        self.digits = digits
    }
}

extension LongCode {
    /// A uniformly random long code from the system's cryptographic source.
    static func random() -> [UInt8] {
        let characters = Array(alphabet.description.utf8)
        return (0..<length).map { _ in characters[Int.random(in: 0..<characters.count)] }
    }

    /// A long code in groups of four characters, as people read it.
    static func grouped(_ code: [UInt8]) -> String {
        stride(from: 0, to: code.count, by: 4)
            .map { String(decoding: code[$0..<min($0 + 4, code.count)], as: UTF8.self) }
            .joined(separator: "-")
    }
}
