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
