import OutboxCore

/// The stored record about asking for a rating, and the marks of sent memos that it does not count
/// yet.
struct RatingRepository {
    /// How many marks are added up at once.
    private static let marksAtOnce: UInt32 = 1000
    /// The beginning of the marks' keys in ``Records/things``, and the key after all of them.
    private static let (firstKey, endKey): ([UInt8], [UInt8]) = ([6], [7])

    let host: Host

    /// The mark of a memo that has left the outbox.
    static func mark(of key: [UInt8]) -> Record {
        Record(key: firstKey + key, head: [0], body: [])
    }

    /// Reads the record, which is empty at the beginning, and the marks.
    func read(
        _ then: @escaping (_ stored: [UInt8], _ marks: [Record]) -> Void,
        orElse failed: @escaping () -> Void
    ) {
        var read = Transaction()
        let rating = read.get(.rating)
        let marks = read.find(
            in: .things,
            by: .key,
            from: Self.firstKey,
            to: Self.endKey,
            limit: Self.marksAtOnce,
            bodies: false
        )
        host.read(read, { found in then(found[rating]?.body ?? [], found[marks]) }, orElse: failed)
    }

    /// Stores the record, which counts the marks: they are deleted with it.
    func store(
        _ record: [UInt8],
        counting marks: [Record],
        whileKey key: KeyID,
        _ then: @escaping (Bool) -> Void
    ) {
        var write = Transaction()
        write.put(
            Record(key: Thing.rating.key, head: [0], body: record),
            in: .things,
            whileKey: key
        )
        for mark in marks { write.delete(mark.key, from: .things) }
        host.perform(write, .relaxed) { then($0.isDone) }
    }
}
