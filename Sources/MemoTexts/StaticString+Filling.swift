extension StaticString {
    /// The UTF-8 of this text with `{1}`, `{2}` … replaced by the values, in order.
    ///
    /// Braces around anything else stay as they are. A value is never looked into, so that one that
    /// holds a placeholder itself is harmless.
    ///
    /// - Parameters:
    ///   - values: UTF-8, at most nine; a placeholder without a value stays.
    ///   - isolated: Whether each value is put between the characters FIRST STRONG ISOLATE and POP
    ///     DIRECTIONAL ISOLATE, so that one of the other direction does not reorder the text around
    ///     it ([UAX #9](https://www.unicode.org/reports/tr9/#Explicit_Directional_Isolates)).
    /// - Complexity: O(length of text and values).
    public func filled(with values: [[UInt8]], isolated: Bool = false) -> [UInt8] {
        withUTF8Buffer { text in
            var result: [UInt8] = []
            result.reserveCapacity(text.count + 16)
            var index = 0
            while index < text.count {
                guard index + 2 < text.count, text[index] == 0x7B, text[index + 2] == 0x7D,
                    (0x31...0x39).contains(text[index + 1]),
                    Int(text[index + 1]) - 0x31 < values.count
                else {
                    result.append(text[index])
                    index += 1
                    continue
                }
                if isolated { result += [0xE2, 0x81, 0xA8] }
                result += values[Int(text[index + 1]) - 0x31]
                if isolated { result += [0xE2, 0x81, 0xA9] }
                index += 3
            }
            return result
        }
    }
}
