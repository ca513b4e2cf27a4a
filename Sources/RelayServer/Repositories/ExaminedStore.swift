public import OutboxCore

/// A store that an operator can look at: whether it works, and how its mail queue is.
public protocol ExaminedStore: RelayStore {
    /// Makes one durable write that changes nothing else.
    ///
    /// - Throws: The error with which every other write fails.
    func tryWriting(at now: WallTime) async throws

    /// Reads the keys from their place again, and checks that the key of the relay's secret is one
    /// of them. A relay that has read its keys works without them, until it is started again.
    ///
    /// - Throws: `KeyStoreError`.
    func tryKeys() async throws

    /// The depth of the mail queue.
    ///
    /// - Complexity: O(mails), without reading a mail.
    func queueFigures() async throws -> QueueFigures

    /// The condition of the mail queue.
    ///
    /// - Complexity: O(1): of the mails that wait, at most a thousand are looked at.
    func queueCondition(at now: WallTime) async throws -> QueueCondition

    /// The space inside of the store's files on the relay's disk that new rows use before the files
    /// grow, in bytes; 0 for a store elsewhere, and where this cannot be read.
    ///
    /// - Complexity: O(1).
    func reusableSpace() -> Int64

    /// The number of shards of accounts whose memos this relay hands over; `nil` for a store of one relay.
    var ownShards: Int? { get }

    /// The movement that was noted last (``MemoStore/noteMovement(at:)``), by whichever relay; `nil` for
    /// none.
    func lastMovement() async throws -> WallTime?
}

extension ExaminedStore {
    public var ownShards: Int? { nil }
}

/// The condition of a mail queue, without anything of a mail.
public struct QueueCondition: Hashable, Sendable {
    /// The moment since which a mail has been due, and has not left; `nil` when no mail is due.
    package var dueSince: WallTime?
    /// The last failures of the mails that wait, with the numbers of mails.
    package var waits: [ReasonCode: Int]

    package init(dueSince: WallTime? = nil, waits: [ReasonCode: Int] = [:]) {
        self.dueSince = dueSince
        self.waits = waits
    }
}
