extension [UInt8] {
    /// Appends the UTF-8 of a code point.
    public mutating func appendUTF8(_ scalar: UInt32) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case 0..<0x80: append(UInt8(scalar))
        case 0x80..<0x800: self += [UInt8(0xC0 | scalar >> 6), tail(0)]
        case 0x800..<0x1_0000: self += [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
        default: self += [UInt8(0xF0 | scalar >> 18 & 0x07), tail(12), tail(6), tail(0)]
        }
    }
}
