import OutboxCore

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
    static func parse(_ value: [UInt8], date: [UInt8], now: WallTime) -> Milliseconds? {
        if let seconds = HTTPDate.number(value[...]) { return .seconds(seconds) }
        guard let until = HTTPDate.parse(value) else { return nil }
        return max(until.since(HTTPDate.parse(date) ?? now), Milliseconds(0))
    }
}

/// The dates of HTTP in their one present form, `Sun, 06 Nov 1994 08:49:37 GMT`
/// ([RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
enum HTTPDate {
    /// - Returns: `nil` for anything else, and for days that no calendar has. The name of the
    ///   weekday is not compared with the day.
    static func parse(_ text: [UInt8]) -> WallTime? {
        guard text.count == 29, text[3] == 0x2C, text[4] == 0x20, text[7] == 0x20,
            text[11] == 0x20, text[16] == 0x20, text[19] == 0x3A, text[22] == 0x3A,
            Array(text[25...]) == " GMT",
            let day = number(text[5..<7]), let month = month(text[8..<11]),
            let year = number(text[12..<16]), let hour = number(text[17..<19]),
            let minute = number(text[20..<22]), let second = number(text[23..<25]),
            // A leap second is second 60.
            hour < 24, minute < 60, second <= 60, year >= 1970, day >= 1,
            day <= length(ofMonth: month, year: year)
        else { return nil }
        let seconds =
            days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        return WallTime(millisecondsSinceEpoch: seconds * 1000)
    }

    /// Digits only; a number too large to hold in milliseconds counts as the largest that is not.
    static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = min(value * 10 + Int64(digit - 0x30), Int64.max / 100_000)
        }
        return value
    }

    private static func month(_ name: ArraySlice<UInt8>) -> Int64? {
        let names: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let name = Array(name)
        return names.firstIndex { name == $0 }.map { Int64($0 + 1) }
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March so
    /// that the leap day is a year's last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
