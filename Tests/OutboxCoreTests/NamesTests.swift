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
