public import OutboxCore

/// A way to get a value.
public enum FetchPolicy: Hashable, Sendable {
    /// The cached value at once, whatever its age, and a refresh in the background. If nothing is cached,
    /// the answer of the network.
    case cacheThenNetwork
    /// The cached value, or ``RepositoryError/notCached``. Nothing is fetched.
    case cacheOnly
    /// The answer of the network, or an error after the time limit. A refresh that is under way counts,
    /// also one that began before.
    case networkOnly(timeLimit: Milliseconds)
}

/// The origin of a value that a repository gives.
public enum KnownSource: UInt8, Hashable, Sendable {
    /// The cache had it: the server answered it earlier, or to another process.
    case cache
    /// The server answered it just now.
    case server
    /// This device changed it, and no answer has come since.
    case local
}

/// A value as far as it is known.
public struct KnownValue<Value: Sendable>: Sendable {
    /// The value; `nil` if it is known not to exist.
    public let value: Value?
    /// The wall-clock time at which the answer arrived or the change was made.
    public let writtenAt: WallTime
    /// The time from ``writtenAt`` until this was made; 0 if the clock was set back meanwhile.
    public let age: Milliseconds
    /// The origin.
    public let source: KnownSource
    /// Whether the server is still to be told of a change.
    public let hasPendingChanges: Bool

    init(
        _ value: Value?,
        writtenAt: WallTime,
        now: WallTime,
        source: KnownSource,
        hasPendingChanges: Bool
    ) {
        self.value = value
        self.writtenAt = writtenAt
        self.age = max(Milliseconds(0), now.since(writtenAt))
        self.source = source
        self.hasPendingChanges = hasPendingChanges
    }
}

extension KnownValue: Equatable where Value: Equatable {}

/// The state of a value that somebody looks at.
public struct RepositoryState<Value: Sendable>: Sendable {
    /// The value with its age and source; `nil` if nothing is known.
    public let known: KnownValue<Value>?
    /// Whether a refresh is under way or waits for its turn.
    public let isRefreshing: Bool
    /// The reason for which the last refresh failed; `nil` if it did not, or none has ended yet.
    public let failure: RefreshFailure?

    /// The value; `nil` if it is not known, or known not to exist.
    public var value: Value? { known?.value }
    /// The age of the value; `nil` if nothing is known.
    public var age: Milliseconds? { known?.age }
}

extension RepositoryState: Equatable where Value: Equatable {}

/// The settings of a repository.
public struct RepositorySettings: Hashable, Sendable {
    /// The most fetches under way at once, over all keys; at least 1.
    public var maximumFlights: Int
    /// The time after which a fetch is given up.
    public var flightLimit: Milliseconds
    /// The age up to which ``FetchPolicy/cacheThenNetwork`` does not refresh a value.
    public var freshness: Milliseconds

    /// Makes settings.
    public init(
        maximumFlights: Int = 4,
        flightLimit: Milliseconds = .seconds(30),
        freshness: Milliseconds = Milliseconds(0)
    ) {
        self.maximumFlights = maximumFlights
        self.flightLimit = flightLimit
        self.freshness = freshness
    }
}
