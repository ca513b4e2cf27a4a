/// The code points of UTF-8 bytes, without the Unicode tables that come with `String`.
///
/// Bytes that are no UTF-8 are passed over.
struct UTF8Scalars<Bytes: Sequence<UInt8>>: Sequence, IteratorProtocol {
    private var bytes: Bytes.Iterator
    private var held: UInt8?

    init(_ bytes: Bytes) {
        self.bytes = bytes.makeIterator()
    }

    mutating func next() -> UInt32? {
        while let first = takeByte() {
            switch first {
            case 0x00...0x7F: return UInt32(first)
            case 0xC2...0xDF:
                if let scalar = rest(of: first & 0x1F, count: 1, least: 0x80) { return scalar }
            case 0xE0...0xEF:
                if let scalar = rest(of: first & 0x0F, count: 2, least: 0x800) { return scalar }
            case 0xF0...0xF4:
                if let scalar = rest(of: first & 0x07, count: 3, least: 0x1_0000) { return scalar }
            default: break
            }
        }
        return nil
    }

    private mutating func takeByte() -> UInt8? {
        if let byte = held {
            held = nil
            return byte
        }
        return bytes.next()
    }

    private mutating func rest(of first: UInt8, count: Int, least: UInt32) -> UInt32? {
        var scalar = UInt32(first)
        for _ in 0..<count {
            guard let byte = takeByte() else { return nil }
            guard byte & 0xC0 == 0x80 else {
                held = byte
                return nil
            }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        let isValid = scalar >= least && scalar <= 0x10_FFFF && !(0xD800...0xDFFF).contains(scalar)
        return isValid ? scalar : nil
    }
}

/// Whether bytes are UTF-8 ([RFC 3629](https://www.rfc-editor.org/rfc/rfc3629)).
///
/// - Complexity: O(bytes).
package func isUTF8(_ bytes: [UInt8]) -> Bool {
    var length = 0
    for scalar in UTF8Scalars(bytes) {
        length += scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x1_0000 ? 3 : 4
    }
    // A byte that is no part of a code point was passed over.
    return length == bytes.count
}
