import Connectivity

/// Tells when the network may have come back.
///
/// It never tells that the relay answers: only an attempt does.
enum NetworkReturn {
    /// Calls `returned` each time there is a way into a network that was not there before. Runs
    /// until the task is cancelled.
    static func watch(_ returned: @Sendable () -> Void) async {
        var arrivals = 0
        for await state in NetworkMonitor() where state.arrivals > arrivals {
            arrivals = state.arrivals
            returned()
        }
    }
}
