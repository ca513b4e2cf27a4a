import OutboxCore
import RelayRules

/// The text that stands for a position in an account's changes.
///
/// 16 hexadecimal digits of the position and 16 of a code under the relay's secret, so that the cursor
/// of another account, or of another relay's data, is not accepted.
struct ChangeCursor: Sendable {
    let secret: RelaySecret
    let account: AccountID

    func text(of number: Int64) -> String {
        let bytes = bigEndian(number)
        let code = secret.authenticationCode(.cursor, account.bits.bytes, bytes)
        return hexadecimal(bytes) + hexadecimal(code.prefix(8))
    }

    /// - Returns: The position; `nil` for a text that ``text(of:)`` did not make for this account.
    func number(of text: String) -> Int64? {
        guard text.utf8.count == 32, let number = Int64(text.prefix(16), radix: 16),
            areEqualInConstantTime(Array(self.text(of: number).utf8), Array(text.utf8))
        else { return nil }
        return number
    }
}
