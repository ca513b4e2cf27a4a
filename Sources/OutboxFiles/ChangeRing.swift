import OutboxCore

/// The latest ``capacity`` changes of the files in a folder, for all processes that share it, so
/// that no process lists the folder twice. The ring is a file that never grows.
///
/// `"SMC1" | 4 bytes | sequence, 8 bytes | slot ...`: the change with the sequence number *n* is in
/// slot *n* modulo the capacity, 16 bytes, the operation's identifier. A reader remembers how far
/// it has read; an overtaken reader lists the folder again. The content need not survive a power
/// cut: a process that starts lists the folder anyway.
///
/// Written, and read beyond ``sequence()``, only under the folder's lock.
struct ChangeRing: Sendable {
    static let capacity = 4096
    private static let magic: [UInt8] = Array("SMC1".utf8)
    private static let headLength = 16
    private static let slotLength = 16
    private static let length = headLength + capacity * slotLength

    /// Stands for a change of the wait epochs. Its version bits are not those of an identifier.
    static let waits = OperationID(high: .max, low: .max)

    let files: Files
    let file: OpenFile

    /// The sequence number of the next change; `nil` when the file cannot be a ring.
    func sequence() throws(FileError) -> UInt64? {
        let head = try files.read(file, at: 0, count: Self.headLength)
        guard head.count == Self.headLength, head.starts(with: Self.magic) else { return nil }
        return head.integer(at: 8)
    }

    /// Makes the file a ring without changes.
    ///
    /// - Returns: The ring's sequence number: random, so that no process takes it for a number that
    ///   it knew.
    func reset() throws(FileError) -> UInt64 {
        let sequence = files.randomWord()
        let head = Self.head(sequence)
        let slots = [UInt8](repeating: 0, count: Self.length - head.count)
        try files.write(head + slots, to: file, at: 0)
        return sequence
    }

    /// The changes from `first` up to, not including, `end`; `nil` when some are overwritten.
    func changes(from first: UInt64, to end: UInt64) throws(FileError) -> [OperationID]? {
        let count = end &- first
        guard count <= UInt64(Self.capacity) else { return nil }
        var changes: [OperationID] = []
        for run in Self.runs(from: first, count: Int(count)) {
            let length = run.count * Self.slotLength
            let bytes = try files.read(file, at: Self.offset(of: run.lowerBound), count: length)
            guard bytes.count == length else { return nil }
            for start in stride(from: 0, to: length, by: Self.slotLength) {
                changes.append(
                    OperationID(high: bytes.integer(at: start), low: bytes.integer(at: start + 8))
                )
            }
        }
        return changes
    }

    /// Adds changes behind `sequence`.
    ///
    /// - Returns: The new sequence number.
    func publish(_ changes: [OperationID], at sequence: UInt64) throws(FileError) -> UInt64 {
        // More changes than there is room for show as a gap in the sequence.
        if changes.count <= Self.capacity {
            var rest = changes[...]
            for run in Self.runs(from: sequence, count: changes.count) {
                let bytes = rest.prefix(run.count).flatMap(\.bytes)
                try files.write(bytes, to: file, at: Self.offset(of: run.lowerBound))
                rest = rest.dropFirst(run.count)
            }
        }
        let next = sequence &+ UInt64(changes.count)
        try files.write(Self.head(next), to: file, at: 0)
        return next
    }

    /// Ranges of slots, each without a jump from the last slot to the first.
    private static func runs(from sequence: UInt64, count: Int) -> [Range<Int>] {
        let start = Int(sequence % UInt64(capacity))
        let first = start..<min(start + count, capacity)
        return first.count == count ? [first] : [first, 0..<count - first.count]
    }

    private static func offset(of slot: Int) -> Int { headLength + slot * slotLength }

    private static func head(_ sequence: UInt64) -> [UInt8] {
        var head = magic + [0, 0, 0, 0]
        head.appendBigEndian(sequence)
        return head
    }
}
