import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The proof that a device may send for its account. The relay stores the hash only.
struct DeviceToken: Hashable, Sendable {
    /// 32 random bytes in base64url, without padding.
    let text: String

    static func random() -> DeviceToken {
        let base64 = Data([UInt8].random(count: 32)).base64EncodedString()
        return DeviceToken(
            text: String(
                base64.compactMap { character -> Character? in
                    switch character {
                    case "+": "-"
                    case "/": "_"
                    case "=": nil
                    default: character
                    }
                }
            )
        )
    }

    /// The token's SHA-256. The token has too many possible values to be guessed from it.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
