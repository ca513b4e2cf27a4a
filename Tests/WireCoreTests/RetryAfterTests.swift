import OutboxCore
import Testing
import WireCore

@Suite("Retry-After")
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = WallTime(millisecondsSinceEpoch: 784_111_777_000)

    private func asked(_ value: String, date: String = "", now: WallTime = now) -> Milliseconds? {
        RetryAfter.parse(Array(value.utf8), date: Array(date.utf8), now: now)
    }

    @Test(
        "is whole seconds or a date; anything else is as if it were not there",
        arguments: [
            ("0", 0), ("1", 1), ("120", 120), ("007", 7),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60), ("Mon Nov 07 08:49:37 1994", 86_400),
            ("Wednesday, 09-Nov-94 08:49:37 GMT", 3 * 86_400),
            ("Friday, 06-Nov-20 08:49:37 GMT", 9497 * 86_400),
            ("Monday, 06-Nov-45 08:49:37 GMT", nil),
            ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400),
            ("", nil), (" ", nil), ("-1", nil), ("+1", nil), ("1.5", nil), ("1e3", nil),
            ("NaN", nil), ("inf", nil), ("soon", nil), ("0x10", nil), ("１２", nil), ("1 2", nil),
            ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
            ("Sun, 00 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 PST", nil),
            ("Sun, 06 Nov 1994 8:49:37 GMT", nil),
            ("Sun, 06 Nov 99999 08:49:37 GMT", nil),
            ("1994-11-06T08:49:37Z", nil),
        ] as [(String, Int64?)]
    )
    func values(value: String, seconds: Int64?) {
        let wait = asked(value)
        #expect(wait == seconds.map { .seconds($0) })
    }

    @Test("a number too large to hold is a very long wait, which the policy caps at a day")
    func huge() throws {
        for value in ["99999999999999999999", "9223372036854775807", "1000000000000"] {
            let wait = try #require(asked(value))
            #expect(RetryPolicy.device.serverDelay(asked: wait, jitter: 0) == .seconds(86_400))
        }
    }

    @Test("a date counts from the server's own clock, however wrong this device's is")
    func serverClock() {
        let wrong = WallTime(millisecondsSinceEpoch: 0)
        let wait = asked(
            "Sun, 06 Nov 1994 08:50:37 GMT",
            date: "Sun, 06 Nov 1994 08:49:37 GMT",
            now: wrong
        )
        #expect(wait == .seconds(60))
    }

    @Test("every day of four centuries is read as the calendar has it")
    func calendar() {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var day: Int64 = 0
        for year in 1970..<2370 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for month in 0..<12 {
                let length = lengths[month] + (month == 1 && isLeap ? 1 : 0)
                for date in [1, length] {
                    let number = date < 10 ? "0\(date)" : "\(date)"
                    let text = "Xxx, \(number) \(months[month]) \(year) 00:00:00 GMT"
                    let expected = (day + Int64(date) - 1) * 86_400_000
                    #expect(
                        HTTPDate.parse(Array(text.utf8), now: Self.now)?.millisecondsSinceEpoch
                            == expected
                    )
                }
                day += Int64(length)
            }
        }
    }
}
