import OutboxCore
import RelayRules

/// The text that stands for a position in an account's changes.
///
/// 16 hexadecimal digits for each number of the position and 16 of a code under the relay's secret, so
/// that the cursor of another account, of another list, or of another relay's data is not accepted.
struct ChangeCursor: Sendable {
    let secret: RelaySecret
    let account: AccountID
    /// The list of changes.
    var purpose = RelaySecret.Purpose.cursor

    func text(of numbers: Int64...) -> String { text(of: numbers) }

    private func text(of numbers: [Int64]) -> String {
        let bytes = numbers.flatMap { bigEndian($0) }
        let code = secret.authenticationCode(purpose, account.bits.bytes, bytes)
        return hexadecimal(bytes) + hexadecimal(code.prefix(8))
    }

    /// - Returns: The position; `nil` for a text that ``text(of:)`` did not make for this account.
    func numbers(of text: String, count: Int) -> [Int64]? {
        let digits = Array(text.utf8)
        guard digits.count == 16 * (count + 1) else { return nil }
        let numbers = (0..<count).compactMap { index in
            Int64(
                String(decoding: digits[(16 * index)..<(16 * (index + 1))], as: UTF8.self),
                radix: 16
            )
        }
        guard numbers.count == count,
            areEqualInConstantTime(Array(self.text(of: numbers).utf8), digits)
        else { return nil }
        return numbers
    }
}
