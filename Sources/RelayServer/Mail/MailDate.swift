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
        let (days, clock) = split(time)
        let date = WallTime.civilDate(daysSinceEpoch: days)
        return "\(weekdays[(days + 4) % 7]), \(twoDigits(date.day)) \(months[date.month - 1])"
            + " \(date.year) \(clock.joined(separator: ":")) +0000"
    }

    /// The date for a person of any language, such as `2026-11-21 04:49 UTC`.
    static func numbers(_ time: WallTime) -> String {
        let (days, clock) = split(time)
        let date = WallTime.civilDate(daysSinceEpoch: days)
        return "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day))"
            + " \(clock[0]):\(clock[1]) UTC"
    }

    /// The days since 1970, and hours, minutes and seconds with two digits each.
    private static func split(_ time: WallTime) -> (days: Int, clock: [String]) {
        let seconds = min(max(time.millisecondsSinceEpoch / 1000, 0), 253_402_300_799)
        let second = Int(seconds % 86_400)
        return (
            Int(seconds / 86_400),
            [second / 3600, second / 60 % 60, second % 60].map(twoDigits)
        )
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
