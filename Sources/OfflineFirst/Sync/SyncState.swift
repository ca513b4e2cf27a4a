public import OutboxCore

/// The state of the synchronisation, for a person.
public struct SyncState: Hashable, Sendable {
    /// Whether this process has a request to the server under way.
    public var isSyncing = false
    /// The changes of all processes that the server has not accepted, refused ones included. Counted in
    /// the storage.
    public var pendingChanges = 0
    /// Those of ``pendingChanges`` that wait for a person.
    public var refusedChanges = 0
    /// The server's time at the last complete pull, by any process; `nil` before the first. Stored, and
    /// never goes back.
    public var lastSynced: WallTime?
    /// The reason for which the last request failed; `nil` if it did not, or after a start. A success of
    /// the same sort of request, a pull or a push, ends it.
    public var lastError: SyncFailure?
    /// Whether another process synchronises these records. This one takes its place when it ends.
    public var isElsewhere = false

    /// A state in which nothing is known.
    public init() {}
}

/// The condition under which a run of a ``SyncManager`` ends.
public enum SyncEnd: Hashable, Sendable {
    /// The run ends only when its task is cancelled.
    case cancelled
    /// The run ends at a moment at which everything was pulled, and the outbox has no operation that is
    /// in flight or queued, not even for later. Changes that wait for a person do not count. While the
    /// server cannot be reached no such moment comes.
    case idle
}

/// The numbers of stored changes, of all processes.
public struct SyncCounts: Hashable, Sendable {
    /// The changes that the server has not accepted, refused ones included.
    public var pending = 0
    /// The changes that wait for a person.
    public var refused = 0

    /// Makes numbers.
    public init(pending: Int = 0, refused: Int = 0) {
        self.pending = pending
        self.refused = refused
    }
}

/// The settings of a ``SyncManager``.
public struct SyncSettings: Hashable, Sendable {
    /// The time after which a request to the server is given up.
    public var requestLimit: Milliseconds
    /// The time after the end of a pull at which the next begins while the app is in the foreground. In
    /// the background only an arrival of the network, a change, and ``SyncManager/wake()`` begin one.
    public var foregroundInterval: Milliseconds
    /// The wait after a failed pull; each further failure doubles it, up to ``longestWait``.
    public var firstWait: Milliseconds
    /// The longest wait after failed pulls.
    public var longestWait: Milliseconds
    /// The time between two looks for changes of other processes, which costs some microseconds, and
    /// for the end of the process that synchronises.
    public var recheck: Milliseconds

    /// Makes settings.
    public init(
        requestLimit: Milliseconds = .seconds(30),
        foregroundInterval: Milliseconds = .seconds(60),
        firstWait: Milliseconds = .seconds(2),
        longestWait: Milliseconds = .seconds(300),
        recheck: Milliseconds = Milliseconds(500)
    ) {
        self.requestLimit = requestLimit
        self.foregroundInterval = foregroundInterval
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.recheck = recheck
    }
}
