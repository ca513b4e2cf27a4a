/// The pure half of a ``Pool``: which caller gets which connection, and when one is made.
///
/// A *place* has room for one connection. Places are:
///
///     empty ──▶ connecting ──▶ working ◀──▶ idle
///       ▲            │            │          │
///       └────────────┴────────────┴──────────┘
///
/// Invariants:
///
/// 1. A caller waits only while a place is connecting or working: so somebody will serve it.
/// 2. A caller waits only while no place is idle.
/// 3. No more places are connecting than callers were waiting when they began.
/// 4. Callers are served in the order in which they came.
/// 5. At most `mostWaiting` callers wait, each for `patience` at most.
///
/// Failures:
///
/// - *No connection can be made while none is there*: every caller that waits fails at once, and so do
///   callers that come within `pause`: a database that is gone is not asked by each of them.
/// - *No connection can be made beside others*: the callers wait for those, and nobody tries again for
///   `pause`.
struct PoolMachine {
    typealias Place = Int
    typealias Caller = UInt64
    typealias Instant = ContinuousClock.Instant

    enum State: Hashable { case empty, connecting, idle, working }

    enum Action: Hashable {
        /// The caller's work begins on the connection of the place.
        case start(Caller, Place)
        /// The place makes a connection.
        case connect(Place)
        /// The caller gets an error.
        case fail(Caller, PostgreSQLError)
        /// The connection of the place, which is idle, is closed.
        case close(Place)
    }

    private struct Waiting {
        let caller: Caller
        let until: Instant
    }

    private(set) var places: [State]
    private var waiting: ArraySlice<Waiting> = []
    private let mostWaiting: Int
    private let patience: Duration
    private let pause: Duration
    /// The error of the latest try to connect, and the end of the pause after it.
    private var failure: (error: PostgreSQLError, until: Instant)?
    private var isClosed = false

    init(places: Int, mostWaiting: Int, patience: Duration, pause: Duration) {
        self.places = Array(repeating: .empty, count: places)
        self.mostWaiting = mostWaiting
        self.patience = patience
        self.pause = pause
    }

    var waitingCount: Int { waiting.count }

    /// The time at which the first waiting caller has waited enough; `nil` where none waits.
    var nextDeadline: Instant? { waiting.first?.until }

    /// A caller has come.
    mutating func asked(by caller: Caller, at now: Instant) -> Action? {
        guard !isClosed else { return .fail(caller, .closed) }
        if let place = places.lastIndex(of: .idle) {
            places[place] = .working
            return .start(caller, place)
        }
        guard waiting.count < mostWaiting else { return .fail(caller, .busy) }
        let isServed = places.contains(.connecting) || places.contains(.working)
        if !isServed, let failure, now < failure.until { return .fail(caller, failure.error) }
        waiting.append(Waiting(caller: caller, until: now + patience))
        return connecting(at: now)
    }

    /// A connection has been made.
    mutating func connected(_ place: Place, at now: Instant) -> [Action] {
        precondition(places[place] == .connecting, "the place was connecting")
        failure = nil
        return use(place)
    }

    /// A connection could not be made.
    mutating func connectingFailed(
        _ place: Place,
        _ error: PostgreSQLError,
        at now: Instant
    ) -> [Action] {
        precondition(places[place] == .connecting, "the place was connecting")
        places[place] = .empty
        failure = (error, now + pause)
        guard !places.contains(.working) else { return [] }
        // Others that are still connecting serve callers that come later.
        defer { waiting = [] }
        return waiting.map { .fail($0.caller, error) }
    }

    /// A caller's work has ended.
    ///
    /// - Parameter isUsable: Whether the connection can be used again. Else it is closed already.
    mutating func worked(_ place: Place, isUsable: Bool, at now: Instant) -> [Action] {
        precondition(places[place] == .working, "the place was working")
        guard !isUsable else { return use(place) }
        places[place] = .empty
        if let action = connecting(at: now) { return [action] }
        let isServed = places.contains(.connecting) || places.contains(.working)
        guard !isServed, let failure else { return [] }
        // Nobody may try to connect now.
        defer { waiting = [] }
        return waiting.map { .fail($0.caller, failure.error) }
    }

    /// Time has passed: the callers that have waited enough fail.
    mutating func timePassed(at now: Instant) -> [Action] {
        var actions: [Action] = []
        while let first = waiting.first, first.until <= now {
            waiting.removeFirst()
            actions.append(.fail(first.caller, .busy))
        }
        return actions
    }

    /// The pool is closed: no caller comes any more.
    mutating func closed() -> [Action] {
        isClosed = true
        defer { waiting = [] }
        var actions = waiting.map { Action.fail($0.caller, .closed) }
        for place in places.indices where places[place] == .idle {
            places[place] = .empty
            actions.append(.close(place))
        }
        return actions
    }

    /// A place whose connection is there gets the first waiting caller, or none.
    private mutating func use(_ place: Place) -> [Action] {
        guard !isClosed else {
            places[place] = .empty
            return [.close(place)]
        }
        guard let first = waiting.popFirst() else {
            places[place] = .idle
            return []
        }
        places[place] = .working
        return [.start(first.caller, place)]
    }

    /// An empty place connects if more callers wait than places are connecting.
    private mutating func connecting(at now: Instant) -> Action? {
        guard places.count(where: { $0 == .connecting }) < waiting.count,
            failure.map({ $0.until <= now }) ?? true,
            let place = places.firstIndex(of: .empty)
        else { return nil }
        places[place] = .connecting
        return .connect(place)
    }
}
