import LibC
import MemoCore
public import OutboxCore

/// Moments as text, for people and for programs.
public enum Dates {
    /// The moment by RFC 3339 in UTC, with milliseconds: `2026-11-21T14:02:33.120Z`.
    public static func utc(_ time: WallTime) -> String {
        let fields = broken(time) { gmtime_r($0, $1) }
        let milliseconds = ((time.millisecondsSinceEpoch % 1000) + 1000) % 1000
        return "\(date(fields))T\(clock(fields)):\(padded(fields.tm_sec))"
            + ".\(padded(milliseconds, to: 3))Z"
    }

    /// The moment of a text that ``utc(_:)`` has made, to the second; `nil` for another text.
    public static func time(utc text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[10] == 0x54, bytes[23] == 0x5A else { return nil }
        func number(_ digits: Range<Int>) -> Int32? {
            Int32(String(decoding: bytes[digits], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1900, month - 1, day)
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (hour, minute, second)
        return WallTime(millisecondsSinceEpoch: Int64(timegm(&fields)) * 1000)
    }

    /// The moment in the person's time zone, to the minute: `2026-11-21 14:02`.
    public static func local(_ time: WallTime) -> String {
        let fields = broken(time) { localtime_r($0, $1) }
        return "\(date(fields)) \(clock(fields))"
    }

    private static func broken(
        _ time: WallTime,
        _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> Void
    ) -> tm {
        var fields = tm()
        let milliseconds = time.millisecondsSinceEpoch
        var seconds = time_t(milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0))
        convert(&seconds, &fields)
        return fields
    }

    private static func date(_ fields: tm) -> String {
        "\(padded(fields.tm_year + 1900, to: 4))-\(padded(fields.tm_mon + 1))-\(padded(fields.tm_mday))"
    }

    private static func clock(_ fields: tm) -> String {
        "\(padded(fields.tm_hour)):\(padded(fields.tm_min))"
    }

    private static func padded(_ number: some BinaryInteger, to width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension CalendarDay {
    /// The day of a moment in the person's time zone.
    init(local time: WallTime) {
        var fields = tm()
        var seconds = time_t(time.millisecondsSinceEpoch / 1000)
        localtime_r(&seconds, &fields)
        self.init(
            year: Int(fields.tm_year) + 1900,
            month: Int(fields.tm_mon) + 1,
            day: Int(fields.tm_mday)
        )
    }
}
