import Crypto
import Essentials

/// The proof that a device may send for its account. The relay stores the hash only.
struct DeviceToken: Hashable, Sendable {
    /// 32 random bytes in base64url, without padding.
    let text: String

    static func random() -> DeviceToken { DeviceToken(text: .randomBase64URL(bytes: 32)) }

    /// The token's SHA-256. The token has too many possible values to be guessed from it.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

extension String {
    /// Random bytes from the system's cryptographic source in base64url, without padding.
    static func randomBase64URL(bytes count: Int) -> String {
        let base64 = Data([UInt8].random(count: count)).base64EncodedString()
        return String(
            base64.compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }
}
