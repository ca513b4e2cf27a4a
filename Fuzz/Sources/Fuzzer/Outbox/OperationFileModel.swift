/// An operation's file as docs/wire-format.md has it.
struct OperationFileModel: Equatable {
    var state: UInt8
    var waitEpoch: UInt64
    var recordCheck: [UInt8]
    var reason: [UInt8]
    var unknown: [UInt8]
    var envelope: [UInt8]
    var record: [UInt8]

    /// The reasons that this build knows; another one is passed over.
    private static let knownReasons = [
        "quarantine.envelope", "quarantine.record", "quarantine.unknown-key",
        "quarantine.not-authentic",
    ].map { Array($0.utf8) }

    var knownReason: [UInt8] { Self.knownReasons.contains(reason) ? reason : [] }

    var laneNumber: UInt64 { unknown.count < 8 ? 0 : number(unknown.prefix(8)) }

    var isRecordIntact: Bool { recordCheck == digest(record) }

    static func reading(_ bytes: [UInt8]) -> OperationFileModel? {
        guard let file = salvaging(bytes), file.state <= 2 else { return nil }
        let record = file.record.count
        return Array(bytes.dropLast(record).suffix(8)) == digest(bytes.dropLast(record + 8))
            ? file : nil
    }

    /// The parts, if their lengths add up to the file's, even if the check is wrong.
    static func salvaging(_ bytes: [UInt8]) -> OperationFileModel? {
        guard bytes.count >= 6 + 22, bytes.prefix(4).elementsEqual("SMF1".utf8) else { return nil }
        let head = Int(number(bytes[4..<6]))
        let envelope = Int(number(bytes[11..<15]))
        let record = Int(number(bytes[15..<19]))
        let reason = Int(bytes[27])
        let unknown = head - 22 - reason
        guard (0...4096).contains(unknown), bytes.count == 6 + head + envelope + 8 + record
        else { return nil }
        return OperationFileModel(
            state: bytes[6],
            waitEpoch: number(bytes[7..<11]),
            recordCheck: Array(bytes[19..<27]),
            reason: Array(bytes[28..<28 + reason]),
            unknown: Array(bytes[28 + reason..<6 + head]),
            envelope: Array(bytes[6 + head..<6 + head + envelope]),
            record: Array(bytes.suffix(record))
        )
    }

    /// Writes the parts that were read, except a reason that this build does not know.
    func written() -> [UInt8] {
        var head = [state] + bigEndian(waitEpoch, bytes: 4)
        head += bigEndian(UInt64(envelope.count), bytes: 4)
        head += bigEndian(UInt64(record.count), bytes: 4)
        head += recordCheck + [UInt8(knownReason.count)] + knownReason + unknown
        let bytes = "SMF1".utf8 + bigEndian(UInt64(head.count), bytes: 2) + head + envelope
        return bytes + digest(bytes) + record
    }
}
