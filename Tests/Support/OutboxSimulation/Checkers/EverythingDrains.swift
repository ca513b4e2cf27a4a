import OutboxCore

/// Once faults are over, what is queued is delivered, in a time that the retry policies bound.
struct EverythingDrains: Checker {
    let name = "everything drains once faults are over"

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .rested(let onDevices, let atRelay) = observation, onDevices + atRelay > 0 else {
            return nil
        }
        return "\(onDevices) operations are still queued on devices, \(atRelay) at the relay"
    }
}
