public import OutboxCore

/// The `Retry-After` field: the wait that a server asks for ([RFC 9110, section
/// 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
public enum RetryAfter {
    /// Reads the field's value: whole seconds, or a date.
    ///
    /// - Parameters:
    ///   - value: The field's value, without white space around it.
    ///   - date: The value of the same answer's `Date` field, empty for none. A wait until a date
    ///     counts from it, so that a wrong clock on this device does not matter.
    ///   - now: The device's time, used where `date` cannot be read.
    /// - Returns: At least 0; a number too large to hold counts as the largest, which the retry
    ///   policy caps. `nil` for rubbish: signs, fractions, words, days that do not exist.
    public static func parse(_ value: [UInt8], date: [UInt8], now: WallTime) -> Milliseconds? {
        if let seconds = HTTPDate.number(value[...]) { return .seconds(seconds) }
        guard let until = HTTPDate.parse(value, now: now) else { return nil }
        return max(until.since(HTTPDate.parse(date, now: now) ?? now), Milliseconds(0))
    }

    /// The whole seconds in which a wait is named: rounded up, so that whoever waits as told is not
    /// refused once more, and at least one.
    public static func seconds(of wait: Milliseconds) -> Int64 {
        max(1, (wait.count + 999) / 1000)
    }
}

/// The dates of HTTP
/// ([RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
public enum HTTPDate {
    /// Reads one date: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two obsolete forms,
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: Places a year of two digits: never more than 50 years ahead.
    /// - Returns: `nil` for anything else, and for days that no calendar has. Neither the name of
    ///   the weekday nor what stands between the parts is looked at.
    public static func parse(_ text: [UInt8], now: WallTime) -> WallTime? {
        let end = text.count
        // Where day, month, year and time of day are.
        var (day, month, year, time) = (5..<7, 8, 12..<16, 17)
        if end == 24 {
            (day, month, year, time) = (text[8] == 0x20 ? 9..<10 : 8..<10, 4, 20..<24, 11)
        } else {
            guard end >= 29, text[end - 3] == 0x47, text[end - 2] == 0x4D, text[end - 1] == 0x54
            else { return nil }
            if end > 29 {
                (day, month, year, time) = (
                    end - 22..<end - 20, end - 19, end - 15..<end - 13, end - 12
                )
            }
        }
        guard let dayNumber = number(text[day]), let hour = number(text[time..<time + 2]),
            let minute = number(text[time + 3..<time + 5]),
            let second = number(text[time + 6..<time + 8]), var yearNumber = number(text[year])
        else { return nil }
        if year.count == 2 {
            let latest = 1970 + now.millisecondsSinceEpoch / 31_556_952_000 + 50
            yearNumber = latest - (latest - yearNumber) % 100
        }
        return WallTime(
            utcYear: yearNumber,
            month: Self.month(text, at: month),
            day: dayNumber,
            hour: hour,
            minute: minute,
            second: second
        )
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

    /// The number of a month; 0 for another text.
    private static func month(_ text: [UInt8], at index: Int) -> Int64 {
        let names = StaticString("JanFebMarAprMayJunJulAugSepOctNovDec").bytes
        for month in 0..<12
        where names[month * 3] == text[index] && names[month * 3 + 1] == text[index + 1]
            && names[month * 3 + 2] == text[index + 2]
        {
            return Int64(month) + 1
        }
        return 0
    }
}
