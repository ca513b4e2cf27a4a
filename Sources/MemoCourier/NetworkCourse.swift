import Connectivity
import ConnectivityCore
import Logging
import Outbox

/// Tells an outbox of the network's coming and going.
///
/// Whether the relay answers, only an attempt shows: a lost network holds no attempt back.
struct NetworkCourse<Storage: OutboxStorage>: Sendable {
    let outbox: Outbox<Storage>
    let logger: Logger

    /// Follows the network of this system until the task is cancelled.
    func followSystem() async { await follow(NetworkMonitor()) }

    /// Runs until `states` ends, as it does when the task is cancelled.
    ///
    /// - Parameter states: The states of the connection, the present one first.
    func follow(_ states: some AsyncSequence<NetworkState, Never>) async {
        var isConnected = true
        var arrivals = 0
        for await state in states {
            // A way into a network may come without a default route, and only ends waits then.
            let hasArrived = state.arrivals > arrivals || (state.isConnected && !isConnected)
            if hasArrived {
                outbox.networkReturned()
                logger.notice("network", metadata: ["state": "returned"])
            }
            if !state.isConnected, isConnected || hasArrived {
                outbox.networkLost()
                logger.notice("network", metadata: ["state": "lost"])
            }
            (isConnected, arrivals) = (state.isConnected, state.arrivals)
        }
    }
}
