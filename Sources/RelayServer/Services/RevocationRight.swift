import MemoTexts
import OutboxCore
import RelayRules

/// The right to sign one device out, which the mail about the device carries in a link. Whoever has
/// the link can sign that device out, and can do nothing else.
///
/// The text is hexadecimal: account, 16 bytes | device, 16 | end, 8 | language, 1 | code, 16. The
/// code is the beginning of a keyed hash of all bytes before it.
struct RevocationRight: Hashable, Sendable {
    /// The time for which a link works.
    static let lifetime: Milliseconds = .seconds(30 * 86_400)

    let account: AccountID
    let device: DeviceID
    let expiresAt: WallTime
    /// The language of the mail, in which the page speaks, too.
    let language: Language

    init(to new: NewDevice, expiresAt: WallTime) {
        account = new.account
        device = new.id
        self.expiresAt = expiresAt
        language = new.language
    }

    /// Reads the text of a link.
    ///
    /// - Returns: `nil` for a text that ``text(_:)`` did not make with this secret, and for a right
    ///   that has expired.
    init?(_ text: some StringProtocol, _ secret: RelaySecret, at now: WallTime) {
        guard text.utf8.count == 2 * Self.length, let all = bytes(hexadecimal: text) else {
            return nil
        }
        let content = Array(all.dropLast(Self.codeLength))
        guard areEqualInConstantTime(Self.code(of: content, secret), all.suffix(Self.codeLength)),
            let account = OperationID(bytes: Array(content[0..<16])),
            let device = OperationID(bytes: Array(content[16..<32])),
            let language = Language(rawValue: content[40])
        else { return nil }
        self.account = AccountID(bits: account)
        self.device = DeviceID(bits: device)
        expiresAt = WallTime(
            millisecondsSinceEpoch: Int64(bitPattern: number(bigEndian: content[32..<40]))
        )
        self.language = language
        guard now < expiresAt else { return nil }
    }

    func text(_ secret: RelaySecret) -> String {
        let content =
            account.bits.bytes + device.bits.bytes + bigEndian(expiresAt.millisecondsSinceEpoch)
            + [language.rawValue]
        return hexadecimal(content + Self.code(of: content, secret))
    }

    private static let codeLength = 16
    private static let length = 16 + 16 + 8 + 1 + codeLength

    private static func code(of content: [UInt8], _ secret: RelaySecret) -> [UInt8] {
        Array(secret.authenticationCode(.revocation, content).prefix(codeLength))
    }
}
