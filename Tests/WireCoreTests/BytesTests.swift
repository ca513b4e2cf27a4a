import Testing
import WireCore

@Suite("Bytes")
struct BytesTests {
    @Test("numbers are written in ASCII digits", arguments: [0, 7, 10, -1, 1234, .max, .min])
    func numbers(number: Int64) {
        #expect(String(decoding: decimal(number), as: UTF8.self) == String(number))
    }

    @Test("a literal equals its own bytes, and neither a part of them nor more")
    func literals() {
        let bytes = StaticString("sent").bytes
        #expect(bytes == "sent")
        #expect(!(bytes == "sen"))
        #expect(!(bytes == "sends"))
        #expect(!(bytes == "Sent"))
        #expect(bytes.isEqual(to: "sent") && !bytes.isEqual(to: "sen"))
        #expect(bytes.isPrefixed(by: "sen") && !bytes.isPrefixed(by: "sends"))
    }
}
