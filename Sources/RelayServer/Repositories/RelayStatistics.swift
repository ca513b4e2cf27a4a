public import OutboxCore
import RelayAPI

/// Numbers about a relay's database, for its operator. None belongs to one person.
public struct RelayStatistics: Hashable, Sendable {
    /// The mail queue.
    public var queue: QueueFigures
    /// The last failures of the mails that wait, with the numbers of mails.
    public var waits: [String: Int]
    /// The reasons of the dead letters, with the numbers of letters.
    public var deadLetters: [String: Int]
    /// The statuses of all memos, with the numbers of memos.
    public var memos: [String: Int]
    /// The number of accounts.
    public var accounts: Int
    /// The number of devices that are signed in.
    public var devices: Int
    /// The relays that hand mails over, by their names; `nil` for a database of one relay.
    public var relays: [RelayShare]?

    package init(
        queue: QueueFigures,
        waits: [String: Int],
        deadLetters: [String: Int],
        memos: [String: Int],
        accounts: Int,
        devices: Int,
        relays: [RelayShare]? = nil
    ) {
        self.queue = queue
        self.waits = waits
        self.deadLetters = deadLetters
        self.memos = memos
        self.accounts = accounts
        self.devices = devices
        self.relays = relays
    }

    /// The statistics as a JSON object with the ages in seconds, and a line end.
    public func json(at now: WallTime) throws -> [UInt8] {
        try RelayJSON.encode(
            Described(
                accounts: accounts,
                deadLetters: deadLetters,
                devices: devices,
                heldMails: queue.held,
                memos: memos,
                oldestSeconds: queue.oldest.map { max(0, now.since($0).count / 1000) },
                queuedCodes: queue.codes,
                queuedMemos: queue.memos,
                relays: relays,
                waits: waits
            )
        ) + [0x0A]
    }

    private struct Described: Encodable {
        let accounts: Int
        let deadLetters: [String: Int]
        let devices: Int
        let heldMails: Int
        let memos: [String: Int]
        let oldestSeconds: Int64?
        let queuedCodes: Int
        let queuedMemos: Int
        let relays: [RelayShare]?
        let waits: [String: Int]
    }
}

/// What one of several relays hands over.
public struct RelayShare: Hashable, Encodable, Sendable {
    /// The relay's machine and process.
    public let name: String
    /// Whether the relay hands the codes over.
    public var codes = false
    /// The shards of accounts whose memos the relay hands over.
    public var shards: [Int] = []

    package init(name: String) { self.name = name }
}

/// The depth of a mail queue.
public struct QueueFigures: Hashable, Sendable {
    /// The number of memos' mails that will be attempted.
    public var memos = 0
    /// The number of codes' mails that will be attempted.
    public var codes = 0
    /// The number of dead letters.
    public var dead = 0
    /// The number of mails that the operator holds.
    public var held = 0
    /// The time at which the oldest of the mails that will be attempted was queued.
    public var oldest: WallTime?

    /// The depth of an empty queue.
    public init() {}
}
