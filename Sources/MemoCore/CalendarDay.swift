/// A day of the person's own calendar, which the face reads off the device's clock and time zone.
public struct CalendarDay: Hashable, Sendable {
    /// Of the Gregorian calendar.
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int

    /// A day; whether there is such a day is the caller's to know.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    static let textLength = 10

    /// As `2026-11-21`, in ASCII, which every language reads the same.
    public var text: [UInt8] {
        padded(year, to: 4) + [0x2D] + padded(month, to: 2) + [0x2D] + padded(day, to: 2)
    }

    private func padded(_ number: Int, to length: Int) -> [UInt8] {
        let digits = decimal(Int64(number)).suffix(length)
        return [UInt8](repeating: 0x30, count: length - digits.count) + digits
    }
}
