import MemoTexts
import OutboxCore
import RelayRules

/// A code that the relay gives to a device whose person a proxy vouches for, in place of a mailed one. It
/// signs its address in while the proxy vouches for the same address again.
///
/// The text is hexadecimal: end, 8 bytes | language, 1 | code, 16. The code is the beginning of a keyed hash
/// of the address and all bytes before it. Nothing of it is stored.
struct Voucher: Hashable, Sendable {
    /// The time in which a device confirms the voucher that it was just given.
    static let lifetime: Milliseconds = .seconds(120)

    let address: MailAddress
    let expiresAt: WallTime
    /// The language of the mails about this sign-in.
    let language: Language

    init(for address: MailAddress, in language: Language, at now: WallTime) {
        self.address = address
        self.language = language
        expiresAt = now.advanced(by: Self.lifetime)
    }

    /// Reads the text of a voucher.
    ///
    /// - Returns: `nil` for a text that ``text(_:)`` did not make with this secret for the address, in any
    ///   case, and for a voucher that has expired.
    init?(
        _ text: String,
        for address: MailAddress,
        _ secret: RelaySecret,
        at now: WallTime
    ) {
        guard text.utf8.count == 2 * Self.length, let all = bytes(hexadecimal: text) else {
            return nil
        }
        let content = Array(all.dropLast(Self.codeLength))
        let code = Self.code(of: content, for: address, secret)
        guard areEqualInConstantTime(code, all.suffix(Self.codeLength)),
            let language = Language(rawValue: content[8])
        else { return nil }
        self.address = address
        self.language = language
        expiresAt = WallTime(
            millisecondsSinceEpoch: Int64(bitPattern: number(bigEndian: content[0..<8]))
        )
        guard now < expiresAt else { return nil }
    }

    func text(_ secret: RelaySecret) -> String {
        let content = bigEndian(expiresAt.millisecondsSinceEpoch) + [language.rawValue]
        return hexadecimal(content + Self.code(of: content, for: address, secret))
    }

    private static let codeLength = 16
    private static let length = 8 + 1 + codeLength

    private static func code(
        of content: [UInt8],
        for address: MailAddress,
        _ secret: RelaySecret
    ) -> [UInt8] {
        let code = secret.authenticationCode(.voucher, Array(address.identity.utf8), content)
        return Array(code.prefix(codeLength))
    }
}
