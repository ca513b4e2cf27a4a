import OutboxCore
import Testing

@Suite struct SealedRecordTests {
    private let record = SealedRecord(
        keyID: KeyID(rawValue: 0xA1A2_A3A4_A5A6_A7A8),
        nonce: Array(1...12),
        ciphertext: [1, 2, 3],
        tag: Array(101...116)
    )

    @Test("the layout is version, key id, nonce, ciphertext, tag")
    func layout() throws {
        let bytes = record.encoded()
        #expect(bytes.count == SealedRecord.headerLength + 3 + SealedRecord.tagLength)
        #expect(bytes.prefix(9) == [1, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8])
        #expect(try SealedRecord(decoding: bytes) == record)
    }

    @Test("a record too short for header and tag, or of another version, is refused")
    func refused() {
        let bytes = record.encoded()
        for length in 0..<SealedRecord.headerLength + SealedRecord.tagLength {
            #expect(throws: SealedRecordError.truncated) {
                try SealedRecord(decoding: Array(bytes.prefix(length)))
            }
        }
        #expect(throws: SealedRecordError.unsupportedVersion) {
            try SealedRecord(decoding: [2] + bytes.dropFirst())
        }
    }

    @Test("the associated data differs when any of its parts does")
    func associatedData() {
        func data(_ key: UInt64, _ id: UInt64, _ kind: OperationKind, _ time: Int64) -> [UInt8] {
            SealedRecord.associatedData(
                keyID: KeyID(rawValue: key),
                id: OperationID(high: 0, low: id),
                kind: kind,
                createdAt: WallTime(millisecondsSinceEpoch: time)
            )
        }
        let variants = [
            data(1, 1, "a", 1), data(2, 1, "a", 1), data(1, 2, "a", 1), data(1, 1, "b", 1),
            data(1, 1, "a", 2), data(1, 1, "aa", 1),
        ]
        #expect(Set(variants).count == variants.count)
    }
}
