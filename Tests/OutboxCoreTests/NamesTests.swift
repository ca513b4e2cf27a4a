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
}
