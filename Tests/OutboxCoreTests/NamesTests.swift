import OutboxCore
import Testing

@Suite struct NamesTests {
    @Test("a lane is named by a literal, an interpolation, a string or bytes")
    func orderingKeys() {
        let table = 7
        let key: OrderingKey = "table \(table)"
        #expect(key == OrderingKey(bytes: Array("table 7".utf8)))
        #expect(key == OrderingKey("table " + "7"))
    }

    @Test("a name prints as text, and as digits where it is none")
    func descriptions() {
        #expect("\(OrderingKey("tisch ä"))" == "tisch ä")
        #expect("\(OrderingKey(bytes: [0xFF, 0x0A]))" == "ff0a")
        #expect(
            "\("note" as OperationKind), \("relay.http.500" as ReasonCode)"
                == "note, relay.http.500"
        )
    }

    @Test(
        "a moment prints as a date in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_795_397_352_045, "2026-11-23T01:29:12.045Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (.max, "292278994-08-17T07:12:55.807Z"),
            (.min, "-292275055-05-16T16:47:04.192Z"),
        ] as [(Int64, String)]
    )
    func moments(_ milliseconds: Int64, _ text: String) {
        #expect("\(WallTime(millisecondsSinceEpoch: milliseconds))" == text)
    }

    @Test("a span prints with its unit")
    func spans() {
        #expect("\(Milliseconds.seconds(600))" == "600000 ms")
    }

    @Test("a reason is plain if it has the characters of a code, and no more than a name may have")
    func plainReasons() {
        for code in ["relay.http.500", "SQLite_1", "no-handler"] {
            #expect(ReasonCode(utf8: Array(code.utf8)).isPlain, "\(code)")
        }
        let long = String(repeating: "a", count: Envelope.maximumNameLength + 1)
        for code in ["", "two words", "a\nb", "\u{1B}[31m", "\u{9B}", "ü", long] {
            #expect(!ReasonCode(utf8: Array(code.utf8)).isPlain, "\(code)")
        }
    }
}
