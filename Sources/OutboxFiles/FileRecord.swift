import Crypto
import Outbox
import OutboxCore

/// One operation as its file holds it, described byte by byte in docs/wire-format.md:
/// `"SMF1" | head length | head | envelope | check | sealed record`.
///
/// The first check covers all bytes before it, so that a reader of a queue need not read the
/// payloads; the head holds a check of the sealed record. Both checks find accidents. The
/// envelope's and the record's own checks, above this layer, find forgery.
struct FileRecord {
    var state: OperationState = .queued
    var quarantineReason: QuarantineReason?
    /// The epoch of the wait, see ``WaitEpochs``.
    var waitEpoch: UInt32 = 0
    var envelope: [UInt8]
    private(set) var record: [UInt8]
    /// The check of the sealed record as it was when it was stored; never computed anew from a
    /// copy.
    private var recordCheck: UInt64
    /// The end of the head: the lane number, if there is one, and fields of a newer build.
    private let headEnd: [UInt8]

    /// A new entry, queued.
    ///
    /// - Parameter laneNumber: The operation's place in its lane, see ``LaneIndex``.
    init(envelope: [UInt8], record: [UInt8], laneNumber: UInt64? = nil) {
        self.envelope = envelope
        self.record = record
        recordCheck = check(of: record[...])
        var headEnd: [UInt8] = []
        if let laneNumber { headEnd.appendBigEndian(laneNumber) }
        self.headEnd = headEnd
    }

    /// The lane number; 0 where there is none: older builds wrote none.
    var laneNumber: UInt64 { FileLayout.laneNumber(of: headEnd[...]) }

    /// Whether the sealed record is as it was stored.
    var isRecordIntact: Bool { check(of: record[...]) == recordCheck }

    /// Replaces the sealed record and its check.
    mutating func replaceRecord(with new: [UInt8]) {
        record = new
        recordCheck = check(of: new[...])
    }

    func encoded() -> [UInt8] {
        let reason = quarantineReason.map { Array($0.rawValue.utf8) } ?? []
        let headLength = FileLayout.knownHeadLength + reason.count + headEnd.count
        var bytes = FileLayout.magic
        bytes.reserveCapacity(headLength + envelope.count + record.count + 14)
        bytes.appendBigEndian(UInt16(headLength))
        bytes.append(state.rawValue)
        bytes.appendBigEndian(waitEpoch)
        bytes.appendBigEndian(UInt32(envelope.count))
        bytes.appendBigEndian(UInt32(record.count))
        bytes.appendBigEndian(recordCheck)
        bytes.append(UInt8(reason.count))
        bytes += reason + headEnd + envelope
        bytes.appendBigEndian(check(of: bytes[...]))
        return bytes + record
    }

    /// Reads a whole file.
    ///
    /// - Returns: `nil` when the head is damaged, or in a format that this build does not read.
    init?(decoding bytes: [UInt8]) {
        guard let layout = FileLayout(bytes, fileLength: bytes.count), layout.isIntact(in: bytes),
            let state = OperationState(rawValue: bytes[FileLayout.stateOffset])
        else { return nil }
        self.init(bytes, layout, state: state)
    }

    /// Salvages a file whose head is damaged: its parts, if their lengths still add up, else the
    /// whole file as the record. The payload may still open: its own check decides.
    init(salvaging bytes: [UInt8]) {
        if let layout = FileLayout(bytes, fileLength: bytes.count) {
            self.init(bytes, layout, state: .quarantined)
        } else {
            self.init(envelope: [], record: bytes)
            state = .quarantined
        }
        quarantineReason = .envelope
    }

    private init(_ bytes: [UInt8], _ layout: FileLayout, state: OperationState) {
        self.state = state
        waitEpoch = bytes.integer(at: FileLayout.waitEpochOffset)
        quarantineReason = QuarantineReason(
            rawValue: String(decoding: bytes[layout.reason], as: UTF8.self)
        )
        envelope = Array(bytes[layout.envelope])
        record = Array(bytes[layout.record])
        recordCheck = bytes.integer(at: FileLayout.recordCheckOffset)
        headEnd = Array(bytes[layout.headEnd])
    }
}

/// The offsets of the parts of a file.
struct FileLayout {
    static let magic: [UInt8] = Array("SMF1".utf8)
    /// The number of first bytes that tell a file's layout.
    static let prefixLength = magic.count + 2 + knownHeadLength
    /// state 1, wait epoch 4, envelope length 4, record length 4, record check 8, reason length 1.
    static let knownHeadLength = 22
    /// Room for the lane number and fields of newer builds; a longer end is not part of a head.
    private static let longestHeadEnd = 4096
    static let longestEnvelope = 1 << 20
    static let longestRecord =
        FileStorage.maximumPayload + SealedRecord.headerLength + SealedRecord.tagLength
    /// A longer file is not read: this store has not written it.
    static let longestFile =
        prefixLength + Int(UInt8.max) + longestHeadEnd + longestEnvelope + 8 + longestRecord

    static let stateOffset = 6
    static let waitEpochOffset = 7
    private static let envelopeLengthOffset = 11
    private static let recordLengthOffset = 15
    static let recordCheckOffset = 19
    private static let reasonLengthOffset = 27

    let reason: Range<Int>
    let headEnd: Range<Int>
    let envelope: Range<Int>
    let record: Range<Int>

    /// - Parameter bytes: The file's first ``prefixLength`` bytes, or more.
    /// - Returns: `nil` when the bytes are not the beginning of a file of that length. No length in
    ///   the bytes is believed beyond it.
    init?(_ bytes: [UInt8], fileLength: Int) {
        guard bytes.count >= Self.prefixLength, bytes.starts(with: Self.magic) else { return nil }
        let headLength: UInt16 = bytes.integer(at: Self.magic.count)
        let envelopeLength: UInt32 = bytes.integer(at: Self.envelopeLengthOffset)
        let recordLength: UInt32 = bytes.integer(at: Self.recordLengthOffset)
        let end = Self.magic.count + 2 + Int(headLength)
        reason = Self.prefixLength..<Self.prefixLength + Int(bytes[Self.reasonLengthOffset])
        guard reason.upperBound <= end, end - reason.upperBound <= Self.longestHeadEnd
        else { return nil }
        headEnd = reason.upperBound..<end
        envelope = end..<end + Int(envelopeLength)
        let start = envelope.upperBound + 8
        record = start..<start + Int(recordLength)
        guard record.upperBound == fileLength, fileLength <= Self.longestFile else { return nil }
    }

    /// - Parameter headEnd: The bytes of ``headEnd``.
    static func laneNumber(of headEnd: ArraySlice<UInt8>) -> UInt64 {
        headEnd.count < 8 ? 0 : headEnd.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// - Parameter bytes: The file up to ``record``, or more.
    func isIntact(in bytes: [UInt8]) -> Bool {
        bytes.integer(at: envelope.upperBound) == check(of: bytes[..<envelope.upperBound])
    }
}

/// The first eight bytes of the bytes' SHA-256.
func check(of bytes: ArraySlice<UInt8>) -> UInt64 {
    SHA256.hash(data: bytes).withUnsafeBytes {
        UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
    }
}

extension [UInt8] {
    /// - Precondition: The bytes are there.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
        self[offset..<offset + Value.bitWidth / 8].withUnsafeBytes {
            Value(bigEndian: $0.loadUnaligned(as: Value.self))
        }
    }
}
