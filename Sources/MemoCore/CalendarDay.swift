import WireCore

/// A day in the person's time zone. The terminal or the web app takes the day from the device's
/// clock.
public struct CalendarDay: Hashable, Sendable {
    /// The year of the Gregorian calendar.
    public var year: Int
    /// The month, from 1 to 12.
    public var month: Int
    /// The day of the month, from 1 to 31.
    public var day: Int

    /// Makes a day from its parts. Does not check whether the calendar has that day.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    static let textLength = 10

    /// The day as `2026-11-21`, in ASCII. Every language writes the day in this form.
    public var text: [UInt8] {
        padded(year, to: 4) + [0x2D] + padded(month, to: 2) + [0x2D] + padded(day, to: 2)
    }

    private func padded(_ number: Int, to length: Int) -> [UInt8] {
        let digits = decimal(Int64(number)).suffix(length)
        return [UInt8](repeating: 0x30, count: length - digits.count) + digits
    }
}
