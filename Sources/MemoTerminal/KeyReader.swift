/// Splits the bytes of a terminal into keys: text, control characters, key sequences, pastes.
///
/// Pure: bytes go in by ``append(_:)``, keys come out of ``next()``.
struct KeyReader {
    /// One key, or a run of text.
    enum Key: Equatable {
        /// Characters to insert. Enter is a newline here, because nothing but text ends a line.
        case text([UInt32])
        /// A control character, or a letter pressed with Alt (an escape before it).
        case control(UInt8, alt: Bool)
        /// A key that the terminal names by a sequence, without its escape: `[A` or `OA` for Up.
        case sequence(String)
        /// A pasted text.
        case paste([UInt32])
    }

    private var bytes: [UInt8] = []
    private var start = 0
    /// Where to go on looking for the end of a paste.
    private var searched: Int?

    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    private static let escape: UInt8 = 0x1B

    /// The longest wait for the rest of a key that has begun, in milliseconds.
    ///
    /// `nil` when no key has begun, and for a paste or a character, which have no limit. The wait
    /// is short after an escape alone, which may be the person's own key, and longer after more
    /// bytes, because a line may be slow.
    var patience: Int32? {
        guard searched == nil, start < bytes.count, bytes[start] == Self.escape else { return nil }
        return bytes.count == start + 1 ? 50 : 500
    }

    mutating func append(_ more: some Sequence<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            if let searched { self.searched = searched - start }
            start = 0
        }
        bytes += more
    }

    /// The next key; `nil` when there is none, or not all of it yet.
    mutating func next() -> Key? {
        while true {
            if searched != nil { return nextPaste() }
            guard start < bytes.count else { return nil }
            let first = bytes[start]
            if first == Self.escape {
                guard let key = nextEscape() else { return nil }
                guard key == .sequence("[200~") else { return key }
                searched = start
                continue
            }
            if first >= 0x20 && first != 0x7F || first == 0x0D || first == 0x0A || first == 0x09 {
                let text = nextText()
                if text.isEmpty, start < bytes.count, !Self.isControl(bytes[start]) { return nil }
                if text.isEmpty { continue }
                return .text(text)
            }
            start += 1
            return .control(first, alt: false)
        }
    }

    /// Drops a key whose rest did not come within ``patience``.
    mutating func abandon() {
        guard patience != nil else { return }
        start = bytes.count
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x0D && byte != 0x0A && byte != 0x09 || byte == 0x7F
    }

    private mutating func nextText() -> [UInt32] {
        var end = start
        while end < bytes.count, !Self.isControl(bytes[end]) { end += 1 }
        // The last character may be incomplete when nothing follows it yet.
        if end == bytes.count { end -= Self.incompleteTail(bytes[start..<end]) }
        let text = Self.scalars(bytes[start..<end])
        start = end
        return text
    }

    /// How many bytes at the end begin a character that is not all there.
    private static func incompleteTail(_ bytes: ArraySlice<UInt8>) -> Int {
        for (length, byte) in zip(1...3, bytes.reversed()) {
            if byte & 0xC0 == 0x80 { continue }
            let expected = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return expected > length ? length : 0
        }
        return 0
    }

    private mutating func nextEscape() -> Key? {
        guard start + 1 < bytes.count else { return nil }
        let second = bytes[start + 1]
        if second == 0x4F {
            guard start + 2 < bytes.count else { return nil }
            let key = Key.sequence(String(decoding: bytes[start + 1...start + 2], as: UTF8.self))
            start += 3
            return key
        }
        guard second == 0x5B else {
            start += 1
            // Alt with a character beyond ASCII is that character.
            if second >= 0x80 || second == Self.escape { return .text([]) }
            start += 1
            return .control(second, alt: true)
        }
        // ECMA-48, 5.4: parameters and intermediates, then one final byte.
        var end = start + 2
        while end < bytes.count, (0x20...0x3F).contains(bytes[end]), end < start + 34 { end += 1 }
        guard end < bytes.count else { return nil }
        let key = Key.sequence(String(decoding: bytes[start + 1...end], as: UTF8.self))
        start = end + 1
        return key
    }

    private mutating func nextPaste() -> Key? {
        let marker = Self.pasteEnd
        var index = searched ?? start
        while index + marker.count <= bytes.count {
            if bytes[index] == Self.escape,
                bytes[index..<index + marker.count].elementsEqual(marker)
            {
                let text = Self.scalars(bytes[start..<index])
                start = index + marker.count
                searched = nil
                return .paste(text)
            }
            index += 1
        }
        searched = index
        return nil
    }

    /// Decodes text: line ends of all kinds become newlines, other controls are dropped, and so are
    /// bytes that are not UTF-8.
    private static func scalars(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(bytes.count)
        var isAfterReturn = false
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .emptyInput: return result
            case .error: continue
            case .scalarValue(let scalar):
                let value = scalar.value
                if value == 0x0A, isAfterReturn {
                    isAfterReturn = false
                    continue
                }
                isAfterReturn = value == 0x0D
                if value == 0x0D {
                    result.append(0x0A)
                } else if value >= 0x20 && value != 0x7F || value == 0x0A || value == 0x09 {
                    result.append(value)
                }
            }
        }
    }
}
