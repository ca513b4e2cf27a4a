import OutboxCore

/// Ends all waits of one cause by one small write, whatever their number.
///
/// For each cause there is a current epoch, an arbitrary number. A file is written with the epoch
/// of its operation's cause at that time, and its wait holds only while that epoch is the current
/// one.
///
/// The file is `"SMW1" | four epochs, 4 bytes each, by cause | check`. A damaged or lost file ends
/// waits early: an attempt comes too soon, and none is missed.
struct WaitEpochs: Hashable, Sendable {
    private static let magic: [UInt8] = Array("SMW1".utf8)
    static let length = magic.count + 4 * causes + 8
    private static let causes = 4

    private var epochs = [UInt32](repeating: 0, count: causes)

    init() {}

    init?(decoding bytes: [UInt8]) {
        let end = Self.length - 8
        guard bytes.count == Self.length, bytes.starts(with: Self.magic),
            bytes.integer(at: end) == check(of: bytes[..<end])
        else { return nil }
        epochs = (0..<Self.causes).map { bytes.integer(at: Self.magic.count + 4 * $0) }
    }

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        for epoch in epochs { bytes.appendBigEndian(epoch) }
        bytes.appendBigEndian(check(of: bytes[...]))
        return bytes
    }

    subscript(cause: WaitCause) -> UInt32 { epochs[Int(cause.rawValue)] }

    func isOver(_ cause: WaitCause, epoch: UInt32) -> Bool {
        cause != .nothing && epoch != self[cause]
    }

    mutating func end(_ cause: WaitCause) {
        epochs[Int(cause.rawValue)] &+= 1
    }
}
