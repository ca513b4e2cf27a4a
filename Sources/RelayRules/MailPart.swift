package import OutboxCore

/// A part of the mail queue. The identifiers of codes are less than those of all memos, so that the
/// index of due operations finds the codes behind any number of memos.
package enum MailPart: Sendable, CaseIterable {
    case codes
    case memos

    /// The part of the mails of a kind.
    package init(of kind: OperationKind) {
        self = kind == .memoMail ? .memos : .codes
    }

    /// The greatest identifier of a code's mail. A memo's mail has the time of its creation, a
    /// code's mail a thousandth of that time: this boundary is of the year 2004. A memo's mail that is
    /// created under an earlier clock, as that of a machine without a battery, has the boundary's time.
    private static let boundary = OperationID(high: 1 << 56, low: 0)

    /// The identifiers are greater than the first bound, and at most the second one.
    package var bounds: (above: [UInt8], last: [UInt8]) {
        switch self {
        case .codes: ([], Self.boundary.bytes)
        case .memos: (Self.boundary.bytes, OperationID(high: .max, low: .max).bytes)
        }
    }

    /// The time at which a mail of this part was queued, as its identifier has it: to a second
    /// for a code, and not before 2004 for a memo.
    package func time(of id: OperationID) -> WallTime {
        let time = Int64(id.high >> 16)
        return WallTime(millisecondsSinceEpoch: self == .codes ? time * 1000 : time)
    }

    /// The identifier of a new mail of this part.
    ///
    /// - Parameter id: A new identifier, from which the mail's has time and randomness.
    package func identifier(from id: OperationID) -> OperationID {
        switch self {
        case .codes:
            OperationID(high: ((id.high >> 16) / 1000) << 16 | (id.high & 0xFFFF), low: id.low)
        case .memos:
            OperationID(high: max(id.high, Self.boundary.high | (id.high & 0xFFFF)), low: id.low)
        }
    }

    /// The number of mails of this part that are handed over at once: as many memos as the mail server
    /// takes.
    package var window: AttemptWindow {
        switch self {
        case .codes: AttemptWindow(4)
        case .memos: AttemptWindow(8...48)
        }
    }

    /// Whether a mail belongs to this part. A mail without an identifier is a memo's.
    package func contains(_ id: OperationID?) -> Bool {
        guard let id else { return self == .memos }
        return (id <= Self.boundary) == (self == .codes)
    }
}
