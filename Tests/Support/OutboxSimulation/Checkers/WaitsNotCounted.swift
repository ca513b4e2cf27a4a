import OutboxCore

/// A wait that a server asked for is no failed attempt: an operation never claims more of them than
/// failed.
struct WaitsNotCounted: Checker {
    let name = "a wait that a server asked for is not counted as an attempt"

    private var failures: [OperationID: UInt32] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .attemptEnded(let id, .failed):
            failures[id, default: 0] += 1
        case .attempted(let id, let count, _) where count > failures[id, default: 0]:
            return "an operation counts \(count) failures after \(failures[id, default: 0])"
        default: break
        }
        return nil
    }
}
