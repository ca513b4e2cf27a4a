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
    /// alone is not a connection. In a browser: `navigator.onLine`. `true` where the system does
    /// not say.
    public let isConnected: Bool

    /// The kind of the interface of the preferred default route.
    public let connectionType: ConnectionType

    /// The number of routes into a network that appeared since the monitor's first state. The
    /// number grows also when one network replaces another without a gap, and for a network without
    /// a default route; `isConnected` shows neither. A browser tells no routes: there the number
    /// grows by ``following(isConnected:connectionType:)``.
    public let arrivals: Int

    /// Makes a state, for a test's own sequence of states.
    public init(isConnected: Bool, connectionType: ConnectionType = .unknown, arrivals: Int) {
        self.isConnected = isConnected
        self.connectionType = connectionType
        self.arrivals = arrivals
    }
}

extension NetworkState {
    /// The state after this one, by a system that tells no routes: a browser.
    ///
    /// An arrival is counted when a connection comes, and when a connection of another kind takes
    /// its place. One network that replaces another of the same kind without a gap is not seen.
    ///
    /// - Parameters:
    ///   - isConnected: Whether the system says that there is a connection now.
    ///   - connectionType: The kind of the connection, as the system tells it now.
    /// - Returns: This state, if nothing has changed.
    /// - Complexity: O(1).
    public func following(isConnected: Bool, connectionType: ConnectionType) -> NetworkState {
        let hasChanged = !self.isConnected || connectionType != self.connectionType
        return NetworkState(
            isConnected: isConnected,
            connectionType: connectionType,
            arrivals: isConnected && hasChanged ? arrivals + 1 : arrivals
        )
    }
}
