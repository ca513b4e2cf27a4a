import RelayAPI

/// Six digits that prove access to an inbox.
struct VerificationCode: Hashable, Sendable {
    let digits: String

    /// A uniformly random code from the system's cryptographic source.
    static func random() -> VerificationCode {
        let number = String(UInt32.random(in: 0..<1_000_000))
        let zeros = String(repeating: "0", count: RelayLimits.codeLength - number.count)
        return VerificationCode(unchecked: zeros + number)
    }

    /// - Returns: The code; `nil` for a text other than six ASCII digits.
    init?(_ text: String) {
        let zeroToNine = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.utf8.count == RelayLimits.codeLength,
            text.utf8.allSatisfy(zeroToNine.contains)
        else { return nil }
        digits = text
    }

    private init(unchecked digits: String) {
        self.digits = digits
    }
}
