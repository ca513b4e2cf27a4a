import ConnectivityCore

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
