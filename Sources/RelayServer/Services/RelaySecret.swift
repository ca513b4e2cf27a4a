import Crypto
import OutboxCore
package import RelayRules

/// The relay's own secret. Hashes of addresses, codes and memos are keyed with it, so that a stolen
/// database alone can neither be searched for an address nor tried against guessed codes.
///
/// It has two parts. The lasting one is the key of what is stored: under another one no account would be
/// found. The replaceable one is the key of what leaves the relay: links, tags and cursors. Who has it can
/// make links that sign devices out, and bounces that the relay believes; after a theft it is replaced.
///
/// Every purpose has codes of its own: a code for one purpose is worthless for another.
public struct RelaySecret: Sendable {
    private let lasting: SymmetricKey
    private let replaceable: SymmetricKey

    /// - Parameters:
    ///   - bytes: 32 bytes from a cryptographic source.
    ///   - replaceable: As many for the replaceable part; `nil` for the same ones, as relays had before
    ///     they knew two parts.
    package init(bytes: [UInt8], replaceable: [UInt8]? = nil) {
        lasting = SymmetricKey(data: bytes)
        self.replaceable = SymmetricKey(data: replaceable ?? bytes)
    }

    /// The purpose of an authentication code.
    enum Purpose: String, CaseIterable {
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
        case voucher
        case settings
        case settingsDigest = "settings-digest"

        /// Whether the codes leave the relay and are in no row.
        var isReplaceable: Bool {
            switch self {
            case .cursor, .accountCursor, .bounce, .revocation, .voucher: true
            case .address, .mailbox, .addressLimit, .source, .pair, .blockPair, .site, .block,
                .domain,
                .service, .handle, .network, .code, .longCode, .memo, .messageID, .settings,
                .settingsDigest:
                false
            }
        }
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
        var mac = HMAC<SHA256>(key: purpose.isReplaceable ? replaceable : lasting)
        for part in [Array(purpose.rawValue.utf8)] + parts {
            mac.update(data: bigEndian(UInt64(part.count)))
            mac.update(data: part)
        }
        return Array(mac.finalize())
    }
}
