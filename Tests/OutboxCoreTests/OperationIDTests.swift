import OutboxCore
import Testing

@Suite struct OperationIDTests {
    /// RFC 9562, appendix A.6.
    @Test("the example of RFC 9562 is made from its parts")
    func rfcExample() {
        let time = WallTime(millisecondsSinceEpoch: 0x017F_22E2_79B0)
        let id = OperationID(time: time, random: (0xCC3, 0x18C4_DC0C_0C07_398F))
        #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        #expect(id.isVersion7)
    }

    @Test("text and bytes read back to the same identifier", arguments: 0..<64)
    func roundTrip(bit: Int) {
        let id = OperationID(high: 1 << UInt64(bit), low: .max ^ 1 << UInt64(bit))
        #expect(OperationID(text: id.text) == id)
        #expect(OperationID(text: Array(id.description.uppercased().utf8)) == id)
        #expect(OperationID(bytes: id.bytes) == id)
        #expect(OperationID(bytes: id.bytes.dropFirst(0)) == id)
    }

    @Test("bytes are those of an identifier when there are 16", arguments: 0..<40)
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect((OperationID(bytes: bytes) != nil) == (count == 16))
        #expect((OperationID(bytes: bytes.dropFirst(0)) != nil) == (count == 16))
    }

    @Test(
        "anything but the canonical form is refused",
        arguments: [
            "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
            "017f22e279b0-7cc3-98c4-dc0c0c07398f-", "g17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
            "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", "017f22e2-79b0-7cc3-98c4-dc0c0c07398 ",
            "٠17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        ]
    )
    func refused(text: String) {
        #expect(OperationID(text: Array(text.utf8)) == nil)
    }

    @Test("later identifiers are greater")
    func ordering() {
        let early = OperationID(
            time: WallTime(millisecondsSinceEpoch: 1),
            random: (.max, .max)
        )
        let late = OperationID(time: WallTime(millisecondsSinceEpoch: 2), random: (0, 0))
        #expect(early < late)
        #expect(early.bytes.lexicographicallyPrecedes(late.bytes))
    }

    @Test("a clock before 1970 still makes a valid identifier")
    func negativeTime() {
        let id = OperationID(time: WallTime(millisecondsSinceEpoch: -5), random: (1, 1))
        #expect(id.isVersion7 && id.high >> 16 == 0)
    }
}
