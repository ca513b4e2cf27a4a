/// The kind of the interface over which traffic leaves by default.
public enum ConnectionType: String, Hashable, Sendable, CaseIterable {
    /// A wireless local network.
    case wifi
    /// A mobile network.
    case cellular
    /// A cable, or what the system presents like one: a bridge, a bond, a virtual machine's card.
    case ethernet
    /// There is no connection, the interface is a tunnel, or the system does not tell its kind.
    case unknown
}

/// The connection of this machine.
///
/// "Connected" never means that a server answers, nor that the network behind the first router
/// works: only an attempt shows that. Use the state to try again sooner, never to refuse an
/// attempt.
public struct NetworkState: Hashable, Sendable {
    /// Whether a default route leads over an interface that is up and has an address. Loopback
    /// alone is not a connection. `true` where the system does not say.
    public let isConnected: Bool

    /// The kind of the interface of the preferred default route.
    public let connectionType: ConnectionType

    /// The number of routes into a network that appeared since the monitor's first state. The
    /// number grows also when one network replaces another without a gap, and for a network without
    /// a default route; `isConnected` shows neither.
    public let arrivals: Int

    /// Makes a state, for a test's own sequence of states.
    public init(isConnected: Bool, connectionType: ConnectionType = .unknown, arrivals: Int) {
        self.isConnected = isConnected
        self.connectionType = connectionType
        self.arrivals = arrivals
    }
}

/// A system's answer about its networks at one moment.
struct NetworkObservation: Hashable, Sendable {
    var isConnected: Bool
    var connectionType: ConnectionType
    /// One for each way into a network; `nil` where the system does not say.
    var ways: Set<NetworkWay>?

    /// Nothing is known, and so nothing may be held back.
    static let unknown = NetworkObservation(
        isConnected: true,
        connectionType: .unknown,
        ways: nil
    )
}

/// Turns observations into states: what arrived is counted here.
struct NetworkHistory: Sendable {
    private var last: NetworkObservation?
    private var arrivals = 0

    mutating func observe(_ observation: NetworkObservation) -> NetworkState {
        if let last, isArrival(observation.ways, after: last.ways) { arrivals += 1 }
        last = observation
        return NetworkState(
            isConnected: observation.isConnected,
            connectionType: observation.connectionType,
            arrivals: arrivals
        )
    }

    /// Where one of the two is unknown something may have arrived, which is then assumed.
    private func isArrival(_ ways: Set<NetworkWay>?, after before: Set<NetworkWay>?) -> Bool {
        switch (before, ways) {
        case (let before?, let ways?): !ways.isSubset(of: before)
        case (nil, let ways?): !ways.isEmpty
        case (_?, nil): true
        case (nil, nil): false
        }
    }
}
