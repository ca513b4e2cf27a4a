public import OutboxCore
import WireCore

/// A memo's status as the relay tells it.
public struct MemoChange: Hashable, Sendable {
    /// The memo's identifier.
    public let id: OperationID
    /// The memo's status.
    public let status: HistoryStatus

    /// Makes a change.
    public init(id: OperationID, status: HistoryStatus) {
        self.id = id
        self.status = status
    }

    /// - Returns: `nil` for a change that no history can take.
    fileprivate init?(_ told: JSON) {
        guard let id = told[string: "id"].flatMap({ OperationID(text: $0) }),
            let name = told[string: "status"],
            let status = HistoryStatus(told: name, reason: told[string: "reason"])
        else { return nil }
        self.init(id: id, status: status)
    }
}

/// One page of the relay's changes of memos, and the cursor behind it.
public struct ChangesPage: Sendable {
    /// The most pages of one reading: a relay may have no end. The next reading goes on behind them.
    public static let mostAtOnce = 64

    /// The changes, the earliest first.
    public let changes: [MemoChange]
    /// Asks for the changes behind these.
    public let cursor: [UInt8]
    /// Whether there are more changes already.
    public let hasMore: Bool

    /// Reads the page of an answer. Passes over a change that no history can take, as one of a
    /// later relay.
    ///
    /// - Returns: `nil` for an answer that is not a page of the relay's.
    public init?(_ answer: RelayAnswer) {
        guard let json = answer.success, let changes = json["changes"]?.array,
            let cursor = json[string: "cursor"], Self.isCursor(cursor)
        else { return nil }
        self.changes = changes.compactMap { MemoChange($0) }
        self.cursor = cursor
        hasMore = json[bool: "more"] == true
    }

    /// Whether a cursor can be part of a path.
    public static func isCursor(_ bytes: [UInt8]) -> Bool {
        1...RelayLimits.cursorLength ~= bytes.count
            && bytes.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
                default: false
                }
            }
    }

    /// Whether the relay refuses the cursor of the question that got this answer: the cursor is
    /// forgotten then, and the changes are read from their beginning.
    public static func isCursorRefused(by answer: RelayAnswer) -> Bool {
        guard answer.problem != nil else { return false }
        switch answer.status {
        case 400, 404, 410, 422: return true
        default: return false
        }
    }
}
