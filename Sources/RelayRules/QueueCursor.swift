package import OutboxCore

/// Where the search for due mails begins: at the first mail that the last search has found.
///
/// The rows of finished mails stay in front of the others for as long as any session of the database holds
/// a snapshot. Only who alone hands mails over can pass them by. The cursor is a hint: what is queued in
/// front of it is found by the next search from the beginning.
///
/// - A search begins at the beginning when other mails are to be searched than before, and after
///   ``longestHint`` in any case.
/// - Of new mails the cursor stays ``slack`` behind: transactions that run at once, and clocks of relays that
///   differ a little, queue mails out of their order.
package struct QueueCursor: Sendable {
    /// The longest time between two searches from the beginning.
    package static let longestHint = Milliseconds.seconds(3)
    /// How far the cursor stays behind the first new mail.
    package static let slack = Milliseconds.seconds(2)

    private var shards: Set<Int> = []
    private var end: Milliseconds?
    private var starts: [FairChoice.Age: FairChoice.Position] = [:]
    /// The least new mail that was queued since the search has begun.
    private var queued: FairChoice.Position?

    /// A cursor before all mails.
    package init() {}

    /// A search begins.
    ///
    /// - Parameters:
    ///   - shards: The shards that are searched.
    ///   - now: A time that only grows.
    /// - Returns: For each age the position behind which the search begins; nothing for the beginning.
    package mutating func begin(
        _ shards: Set<Int>,
        now: Milliseconds
    ) -> [FairChoice.Age: FairChoice.Position] {
        if shards != self.shards || end.map({ now >= $0 }) ?? true {
            self.shards = shards
            end = Milliseconds(now.count + Self.longestHint.count)
            starts = [:]
        }
        queued = nil
        return starts
    }

    /// The search has found this first mail of an age.
    package mutating func found(_ first: FairChoice.Position, _ age: FairChoice.Age) {
        let start =
            switch age {
            case .tried: FairChoice.Position(due: first.due, id: [])
            case .new: Self.behind(first)
            }
        starts[age] = start
        if age == .new, let queued { starts[age] = min(start, queued) }
    }

    /// This process has queued a new mail.
    package mutating func queued(_ id: OperationID) {
        let position = Self.behind(FairChoice.Position(due: 0, id: id.bytes))
        queued = min(queued ?? position, position)
        starts[.new] = starts[.new].map { min($0, position) }
    }

    /// Mails may have become due out of their order.
    package mutating func reset() { end = nil }

    /// The position of a mail that was queued so much earlier.
    private static func behind(_ position: FairChoice.Position) -> FairChoice.Position {
        guard let id = OperationID(bytes: position.id) else {
            return FairChoice.Position(due: 0, id: [])
        }
        let milliseconds = Int64(id.high >> 16)
        let earlier = OperationID(high: UInt64(max(milliseconds - slack.count, 0)) << 16, low: 0)
        return FairChoice.Position(due: 0, id: earlier.bytes)
    }
}
