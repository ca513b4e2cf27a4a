public import OutboxCore

extension WallTime {
    /// Makes a moment from its date and time of day in UTC, in the Gregorian calendar.
    ///
    /// - Parameters:
    ///   - year: 1970 to 9999.
    ///   - month: 1 to 12.
    ///   - day: 1 to the length of the month.
    ///   - hour: 0 to 23.
    ///   - minute: 0 to 59.
    ///   - second: 0 to 60: a leap second is second 60, and counts as the one after it.
    /// - Returns: `nil` for a day that no calendar has, or a time that no clock shows.
    public init?(
        utcYear year: Int64,
        month: Int64,
        day: Int64,
        hour: Int64,
        minute: Int64,
        second: Int64
    ) {
        guard (1970...9999).contains(year), (1...12).contains(month),
            day >= 1, day <= Self.length(ofMonth: month, year: year),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        let seconds =
            Self.days(year: year, month: month, day: day) * 86_400
            + hour * 3600 + minute * 60 + second
        self.init(millisecondsSinceEpoch: seconds * 1000)
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01, counted in years that begin in March so that the leap day is a year's
    /// last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
