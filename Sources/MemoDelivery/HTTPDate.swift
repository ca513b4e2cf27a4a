internal import OutboxCore

/// The dates of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` and its two obsolete forms
/// ([RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
enum HTTPDate {
    /// Reads one date.
    ///
    /// - Parameter now: Places the two-digit year of the RFC 850 form: never more than 50 years
    ///   ahead.
    /// - Returns: `nil` for anything else, and for days that no calendar has. The name of the
    ///   weekday is not compared with the day.
    static func parse(_ text: String, now: WallTime) -> WallTime? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        switch parts.count {
        // Sun Nov  6 08:49:37 1994
        case 5 where text.contains(","): return rfc850(parts, now: now)
        case 5: return moment(day: parts[2], month: parts[1], year: parts[4], clock: parts[3])
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where parts[5] == "GMT" && parts[3].utf8.count == 4:
            return moment(day: parts[1], month: parts[2], year: parts[3], clock: parts[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4: return rfc850(parts, now: now)
        default: return nil
        }
    }

    private static func rfc850(_ parts: [String], now: WallTime) -> WallTime? {
        guard parts.count == 4, parts[3] == "GMT" else { return nil }
        let date = parts[1].split(separator: "-").map(String.init)
        guard date.count == 3, date[2].utf8.count == 2, let short = number(date[2]) else {
            return nil
        }
        let thisYear = Int64(1970) + now.millisecondsSinceEpoch / 31_556_952_000
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 { year -= 100 }
        return moment(day: date[0], month: date[1], year: String(year), clock: parts[2])
    }

    private static func moment(
        day: String,
        month: String,
        year: String,
        clock: String
    ) -> WallTime? {
        let clock = clock.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
            let hour = number(clock[0]), let minute = number(clock[1]),
            let second = number(clock[2]),
            let day = number(day), let year = number(year),
            let month = months.firstIndex(of: month).map({ Int64($0 + 1) }),
            // A leap second is second 60.
            hour < 24, minute < 60, second <= 60, year >= 1970, year <= 9999,
            day >= 1, day <= length(ofMonth: month, year: year)
        else { return nil }
        let seconds =
            days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        return WallTime(millisecondsSinceEpoch: seconds * 1000)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Digits only: `Int64("+1")` would be a number, too.
    private static func number(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 4,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(text)
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
