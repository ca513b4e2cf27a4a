import OutboxCore

/// A moment as a mail's `Date` says it, in UTC
/// ([RFC 5322, section 3.3](https://www.rfc-editor.org/rfc/rfc5322#section-3.3)).
enum MailDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The date as text, such as `Sat, 21 Nov 2026 04:49:58 +0000`. A moment outside the years 1970
    /// to 9999 is written as the nearest moment inside.
    static func text(_ time: WallTime) -> String {
        let seconds = min(max(time.millisecondsSinceEpoch / 1000, 0), 253_402_300_799)
        let days = Int(seconds / 86_400)
        let second = Int(seconds % 86_400)
        let date = civilDate(daysSinceEpoch: days)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(twoDigits)
        return "\(weekdays[(days + 4) % 7]), \(twoDigits(date.day)) \(months[date.month - 1])"
            + " \(date.year) \(clock.joined(separator: ":")) +0000"
    }

    /// [chrono-compatible date algorithms](https://howardhinnant.github.io/date_algorithms.html),
    /// for days from 1970 on.
    private static func civilDate(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
