import MemoCore
import OutboxCore

/// The changing part of a history entry: the memo's status.
///
/// `version | length of the name | name | reason`
struct HistoryHead {
    let status: HistoryStatus

    init(_ status: HistoryStatus) {
        self.status = status
    }

    init?(decoding bytes: [UInt8]) {
        guard bytes.count >= 2, bytes[0] == 1, bytes.count >= 2 + Int(bytes[1]) else { return nil }
        let end = 2 + Int(bytes[1])
        let reason = bytes.count > end ? ReasonCode(utf8: Array(bytes[end...])) : nil
        status = HistoryStatus(name: Array(bytes[2..<end]), reason: reason)
    }

    /// The bounds of the heads of memos that did not arrive, one pair for each such status.
    static let failures = [
        HistoryStatus.quarantined(noReason), .bounced(noReason), .expired(noReason),
        .refused(noReason),
    ].map { status in
        let lower = HistoryHead(status).encoded()
        return (lower: lower, upper: Array(lower.dropLast()) + [(lower.last ?? 0) + 1])
    }

    private static let noReason = ReasonCode(utf8: [])

    func encoded() -> [UInt8] {
        let name = status.name
        return [1, UInt8(min(name.count, 255))] + name.prefix(255) + (status.reason?.utf8 ?? [])
    }
}

extension Transaction {
    /// Changes the status of a memo by the rule of the history, if the memo is still queued: the
    /// relay's cursor may have told a later status already.
    mutating func setStatus(after standing: OperationStanding, of key: [UInt8]) {
        let status = HistoryStatus.queued.following(standing)
        guard status != .queued else { return }
        setHead(
            HistoryHead(status).encoded(),
            of: key,
            in: .history,
            ifStill: HistoryHead(.queued).encoded()
        )
    }
}
