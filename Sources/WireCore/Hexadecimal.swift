/// The 16 lower-case hexadecimal digits of a number of 64 bits.
@inline(never)
package func hexadecimal(_ number: UInt64) -> [UInt8] {
    var digits: [UInt8] = []
    var shift: UInt64 = 64
    while shift > 0 {
        shift -= 4
        let digit = UInt8(truncatingIfNeeded: number >> shift & 0xF)
        digits.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
    return digits
}

/// The number that 16 lower-case hexadecimal digits stand for; `nil` for anything else.
@inline(never)
package func number(hexadecimal digits: some Collection<UInt8>) -> UInt64? {
    guard digits.count == 16 else { return nil }
    var number: UInt64 = 0
    for digit in digits {
        switch digit {
        case 0x30...0x39: number = number << 4 | UInt64(digit - 0x30)
        case 0x61...0x66: number = number << 4 | UInt64(digit - 0x57)
        default: return nil
        }
    }
    return number
}
