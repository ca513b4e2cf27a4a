internal import OutboxCore

/// The `Retry-After` field: how long a server asks to wait
/// ([RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
enum RetryAfter {
    /// Reads the field's value: whole seconds, or a date.
    ///
    /// - Parameters:
    ///   - date: The value of the same answer's `Date` field. A wait until a date counts from it,
    ///     so that a wrong clock on this device does not matter.
    ///   - now: Counts where there is no readable `date`.
    /// - Returns: At least 0; a number too large to hold counts as the largest, which the retry
    ///   policy caps. `nil` for rubbish: signs, fractions, words, days that do not exist.
    static func parse(_ value: String, date: String?, now: WallTime) -> Milliseconds? {
        let value = trimmed(value)
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let longest = Int64.max / 1000
            return .seconds(min(Int64(value) ?? longest, longest))
        }
        guard let until = HTTPDate.parse(value, now: now) else { return nil }
        let from = date.flatMap { HTTPDate.parse(trimmed($0), now: now) } ?? now
        return max(until.since(from), Milliseconds(0))
    }

    private static func trimmed(_ text: String) -> String {
        var text = Substring(text)
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
