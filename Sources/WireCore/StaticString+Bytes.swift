extension StaticString {
    /// The UTF-8 of this text.
    ///
    /// - Complexity: O(length).
    public var bytes: [UInt8] { withUTF8Buffer { Array($0) } }
}

extension Collection<UInt8> {
    /// Whether these are the bytes of `text`. Needs no Unicode tables, unlike comparing strings.
    package func isEqual(to text: StaticString) -> Bool {
        text.withUTF8Buffer { elementsEqual($0) }
    }

    /// Whether the bytes of `text` are the first of these.
    package func isPrefixed(by text: StaticString) -> Bool {
        text.withUTF8Buffer { starts(with: $0) }
    }
}

/// Whether these are the bytes of a literal. Needs no Unicode tables, unlike comparing strings.
@inline(never)
public func == (left: [UInt8], right: StaticString) -> Bool {
    right.withUTF8Buffer { buffer in
        guard left.count == buffer.count else { return false }
        for index in left.indices where left[index] != buffer[index] { return false }
        return true
    }
}

/// Matches the bytes of a literal in a `switch`.
public func ~= (pattern: StaticString, value: [UInt8]) -> Bool {
    value == pattern
}

/// The ASCII digits of `number`.
public func decimal(_ number: Int64) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = number.magnitude
    repeat {
        digits.append(0x30 + UInt8(rest % 10))
        rest /= 10
    } while rest > 0
    if number < 0 { digits.append(0x2D) }
    digits.reverse()
    return digits
}
