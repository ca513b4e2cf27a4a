public import OutboxCore

/// The origin of a cached value.
public enum CacheSource: UInt8, Hashable, Sendable {
    /// The server answered it.
    case server = 1
    /// This device changed it. The server may not know it yet.
    case local = 2
}

/// A value in a cache, as it was stored.
public struct CacheEntry: Hashable, Sendable {
    /// The value; `nil` if the value is known not to exist.
    public let bytes: [UInt8]?
    /// The wall-clock time at which the answer arrived or the change was made.
    public let writtenAt: WallTime
    /// The origin of the value.
    public let source: CacheSource
    /// The ticket of the request or the local change that wrote the entry, or of the settlement of its
    /// last pending change.
    public let ticket: CacheTicket
    /// The number of local changes that are not settled. While there are any, the entry takes no
    /// answer and is not evicted.
    public let pendingChanges: Int

    /// Makes an entry. Caches call this.
    public init(
        bytes: [UInt8]?,
        writtenAt: WallTime,
        source: CacheSource,
        ticket: CacheTicket,
        pendingChanges: Int
    ) {
        self.bytes = bytes
        self.writtenAt = writtenAt
        self.source = source
        self.ticket = ticket
        self.pendingChanges = pendingChanges
    }
}

/// A value that the server answered.
public struct CacheAnswer: Hashable, Sendable {
    /// The name of the value.
    public let key: CacheKey
    /// The value; `nil` if the server says that it does not exist.
    public let bytes: [UInt8]?

    /// Makes an answer.
    public init(key: CacheKey, bytes: [UInt8]?) {
        self.key = key
        self.bytes = bytes
    }
}

/// The fate of an answer in a cache.
public enum CacheOutcome: Hashable, Sendable {
    /// The answer is stored.
    case stored
    /// The answer is void: the cache holds, or held, a value with a later ticket, or one with pending
    /// changes.
    case superseded
    /// The limits leave no room for the answer.
    case notKept
}

/// A change that this device makes to a value.
public struct CacheChange: Hashable, Sendable {
    /// The name of the value.
    public let key: CacheKey
    /// The value; `nil` deletes it.
    public let bytes: [UInt8]?
    /// Whether the server is still to be told. Such a change counts among
    /// ``CacheEntry/pendingChanges`` until it is settled.
    public let isPending: Bool

    /// Makes a change.
    public init(key: CacheKey, bytes: [UInt8]?, isPending: Bool = true) {
        self.key = key
        self.bytes = bytes
        self.isPending = isPending
    }
}

/// The bounds of a cache.
///
/// Entries with pending changes count, but are never evicted. If they exceed the limits alone, no other
/// entry is kept.
public struct CacheLimits: Hashable, Sendable {
    /// The most entries.
    public var entries: Int
    /// The most bytes of all entries. An entry counts its value as stored, its name, and
    /// ``overhead``. A file is somewhat larger, and keeps its size when entries go: the room is used
    /// again.
    public var bytes: Int
    /// The longest value, in bytes.
    public var value: Int

    /// The bytes that each entry counts besides its value and its name.
    public static let overhead = 64

    /// Makes limits; each at least 0.
    public init(entries: Int = 100_000, bytes: Int = 64 << 20, value: Int = 1 << 20) {
        precondition(entries >= 0 && bytes >= 0 && value >= 0)
        self.entries = entries
        self.bytes = bytes
        self.value = value
    }
}

/// The numbers of a cache.
public struct CacheCounts: Hashable, Sendable {
    /// The stored entries, of all processes.
    public var entries = 0
    /// The bytes of the stored entries, as ``CacheLimits/bytes`` counts them.
    public var bytes = 0
    /// The entries with pending changes.
    public var pending = 0
    /// The reads of this object that found an entry.
    public var hits = 0
    /// The reads of this object that found none, with those of ``unreadable`` entries.
    public var misses = 0
    /// The reads of this object that found an entry that was tampered with, or whose key is gone.
    public var unreadable = 0
    /// The entries that this object evicted.
    public var evicted = 0

    /// Makes counts that are all 0.
    public init() {}
}
