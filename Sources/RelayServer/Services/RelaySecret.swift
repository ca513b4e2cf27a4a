import Crypto
import OutboxCore
package import RelayRules

/// The relay's own secret. Hashes of addresses, codes and memos are keyed with it, so that a stolen
/// database alone can neither be searched for an address nor tried against guessed codes.
///
/// Every purpose has codes of its own: a code for one purpose is worthless for another.
public struct RelaySecret: Sendable {
    private let key: SymmetricKey

    /// - Parameter bytes: 32 bytes from a cryptographic source.
    package init(bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// The purpose of an authentication code.
    enum Purpose: String {
        case address
        case mailbox
        case addressLimit = "address-limit"
        case source
        case pair
        case blockPair = "block-pair"
        case site
        case block
        case domain
        case service
        case handle
        case network
        case code
        case longCode = "long-code"
        case memo
        case messageID = "message-id"
        case cursor
        case accountCursor = "account-cursor"
        case bounce
        case revocation
        case settings
        case settingsDigest = "settings-digest"
    }

    /// The key under which the account of an address is stored.
    package func key(of address: MailAddress) -> [UInt8] {
        authenticationCode(.address, Array(address.identity.utf8))
    }

    /// The identifier of the mailbox of an address.
    package func mailbox(of address: MailAddress) -> MailboxID {
        let code = authenticationCode(.mailbox, Array(MailboxName(address).text.utf8))
        let half = (high: number(bigEndian: code[0..<8]), low: number(bigEndian: code[8..<16]))
        return MailboxID(bits: OperationID(high: half.high, low: half.low))
    }

    /// The keyed hash of a mailbox and a network.
    ///
    /// - Parameter source: The name of the network.
    func pair(of mailbox: MailboxName, source: String) -> [UInt8] {
        authenticationCode(.pair, Array(mailbox.text.utf8), Array(source.utf8))
    }

    /// The HMAC-SHA256 of `parts`, each preceded by its length.
    func authenticationCode(_ purpose: Purpose, _ parts: [UInt8]...) -> [UInt8] {
        var mac = HMAC<SHA256>(key: key)
        for part in [Array(purpose.rawValue.utf8)] + parts {
            mac.update(data: bigEndian(UInt64(part.count)))
            mac.update(data: part)
        }
        return Array(mac.finalize())
    }
}
