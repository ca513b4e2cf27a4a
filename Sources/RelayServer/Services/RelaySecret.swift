import Crypto

/// The relay's own secret: what it stores about people is keyed with it, so that a stolen database
/// alone can neither be searched for an address nor tried against guessed codes.
///
/// Every purpose has a key of its own, so a value of one means nothing for another.
public struct RelaySecret: Sendable {
    private let key: SymmetricKey

    /// - Parameter bytes: 32 bytes from a cryptographic source.
    package init(bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// What a code of this secret is about.
    enum Purpose: String {
        case address
        case addressLimit = "address-limit"
        case source
        case code
        case memo
        case messageID = "message-id"
        case cursor
    }

    /// HMAC-SHA256 of `parts`, which are kept apart by their lengths.
    func authenticationCode(_ purpose: Purpose, _ parts: [UInt8]...) -> [UInt8] {
        var mac = HMAC<SHA256>(key: key)
        for part in [Array(purpose.rawValue.utf8)] + parts {
            let length = UInt64(part.count)
            mac.update(
                data: (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64($0))) }
            )
            mac.update(data: part)
        }
        return Array(mac.finalize())
    }
}

/// Whether two codes are equal, in a time that does not tell where they differ.
func areEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
}

extension [UInt8] {
    /// Bytes from the system's cryptographic source.
    static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    }
}
