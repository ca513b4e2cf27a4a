import LibC
import MemoCore
import OutboxCore

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
