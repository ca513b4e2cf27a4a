/// The bytes as hexadecimal text: two lower-case digits for each.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] },
        as: UTF8.self
    )
}

/// The bytes of hexadecimal text.
///
/// - Returns: `nil` for a text that is not ``hexadecimal(_:)`` of any bytes.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.compactMap { digit -> UInt8? in
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
