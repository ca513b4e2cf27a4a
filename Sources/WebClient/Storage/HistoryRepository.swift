import MemoCore
import OutboxCore

/// The memos that were sent from here.
struct HistoryRepository {
    let host: Host

    /// Reads the latest entries before `end`, which is empty for the end of all, with the latest
    /// operations there.
    func read(
        before end: [UInt8],
        limit: UInt32,
        operations: UInt32,
        _ then: @escaping ([Record], [QueueEntry]) -> Void,
        orElse failed: @escaping () -> Void
    ) {
        var read = Transaction()
        let entries = read.findLatest(in: .history, before: end, limit: limit, bodies: true)
        let queue = read.findLatest(in: .outbox, before: end, limit: operations, bodies: false)
        host.read(
            read,
            { found in then(found[entries], found[queue].map { QueueEntry($0) }) },
            orElse: failed
        )
    }

    /// The facts that a person may not have heard of.
    struct News {
        /// The oldest operation, in any state.
        let oldest: Record?
        /// The number of memos that did not arrive.
        let failures: Int
        /// The record with the number of the failures that the person has seen.
        let seen: Record?
    }

    /// The most failures of one kind that are looked at.
    private static let failuresLooked: UInt32 = 500

    /// Reads the entries of memos that did not arrive, and the marks of those of which the person knows.
    func readFailures(
        _ then: @escaping (_ failures: [Record], _ marks: [Record]) -> Void,
        orElse failed: @escaping () -> Void
    ) {
        var read = Transaction()
        let failures = HistoryHead.failures.map {
            read.find(
                in: .history,
                by: .head,
                from: $0.lower,
                to: $0.upper,
                limit: Self.failuresLooked,
                bodies: false
            )
        }
        let marks = read.find(
            in: .things,
            by: .key,
            from: FailureMark.first,
            to: FailureMark.end,
            limit: UInt32(failures.count) * Self.failuresLooked,
            bodies: false
        )
        host.read(
            read,
            { found in
                var all: [Record] = []
                for slot in failures { all += found[slot] }
                then(all, found[marks])
            },
            orElse: failed
        )
    }

    /// Notes of which failures the person knows.
    ///
    /// - Parameters:
    ///   - known: The keys of their memos.
    ///   - past: The marks of memos that are no failures any more.
    func note(
        known: [[UInt8]],
        past: [[UInt8]],
        whileKey key: KeyID,
        _ then: @escaping () -> Void
    ) {
        var write = Transaction()
        for memo in known {
            let mark = Record(key: FailureMark.key(of: memo), head: [0], body: [])
            write.put(mark, in: .things, whileKey: key)
        }
        for mark in past { write.delete(mark, from: .things) }
        host.perform(write, .relaxed) { _ in then() }
    }

    func readNews(_ then: @escaping (News) -> Void) {
        var read = Transaction()
        let oldest = read.find(in: .outbox, by: .key, limit: 1, bodies: false)
        let seen = read.get(.seenFailures)
        let failures = HistoryHead.failures.map {
            read.count(in: .history, from: $0.lower, to: $0.upper)
        }
        host.read(read) { found in
            then(
                News(
                    oldest: found[oldest].first,
                    failures: failures.reduce(0) { $0 + found[$1] },
                    seen: found[seen]
                )
            )
        }
    }
}

extension Transaction {
    fileprivate mutating func findLatest(
        in records: Records,
        before end: [UInt8],
        limit: UInt32,
        bodies: Bool
    ) -> Slot<[Record]> {
        find(in: records, by: .key, to: end, descending: true, limit: limit, bodies: bodies)
    }
}

/// The mark of a memo of which the person knows that it did not arrive: a notification has told, or it
/// stood in the history.
enum FailureMark {
    /// The beginning of the marks' keys in ``Records/things``, and the key after all of them.
    static let (first, end): ([UInt8], [UInt8]) = ([9], [10])

    static func key(of memo: [UInt8]) -> [UInt8] { first + memo }
}
