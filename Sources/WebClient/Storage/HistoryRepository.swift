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
