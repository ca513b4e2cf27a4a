import MemoCore
import RelayServer

/// A device's way into the network, and the exchanges that are under way on it.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class Connection: @unchecked Sendable {
    /// As whom the relay knows the device.
    let identity: AuthenticatedDevice
    private let history: History
    private var exchanges: [Exchange] = []
    private(set) var isOnline = true
    private var requests = (sent: 0, latestArrived: 0)

    init(identity: AuthenticatedDevice, history: History) {
        self.identity = identity
        self.history = history
    }

    /// - Returns: Whether this is a change.
    func setOnline(_ isOnline: Bool, _ device: String) -> Bool {
        guard self.isOnline != isOnline else { return false }
        self.isOnline = isOnline
        history.note(device, isOnline ? "online" : "offline")
        if !isOnline {
            for exchange in exchanges { exchange.end(.failure(.connectionLost)) }
        }
        return true
    }

    /// Cuts the exchanges of a process that is dead.
    func cut(_ process: any DeviceProcess) {
        for exchange in exchanges where exchange.process === process {
            exchange.end(.failure(.cancelled))
        }
    }

    /// - Returns: The number of a request that is under way from now on.
    func numberRequest() -> Int {
        requests.sent += 1
        return requests.sent
    }

    func requestArrives(_ number: Int) {
        if number < requests.latestArrived { history.count(.requestOvertaken) }
        requests.latestArrived = max(requests.latestArrived, number)
    }

    func began(_ exchange: Exchange) { exchanges.append(exchange) }

    func ended(_ exchange: Exchange) { exchanges.removeAll { $0 === exchange } }
}
