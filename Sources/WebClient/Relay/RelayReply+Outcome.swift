import MemoCore
import OutboxCore

extension RelayReply {
    /// The relay itself says that the token is not, or no longer, valid.
    var refusesToken: Bool { status == 401 && problem?.refusesToken == true }

    /// What this answer to a memo's PUT means for its operation.
    func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        var held: [UInt8]?
        if let json = success, json["status"]?.string != nil { held = json["id"]?.string }
        return MemoAnswer(status: status, held: held, problem: problem, wait: wait(now: now))
            .outcome(for: id)
    }
}

extension DeliveryMachine.Outcome {
    /// What having no answer means for an operation.
    ///
    /// - Parameter failure: The name of the host's error.
    init(failure: [UInt8]) {
        self =
            switch failure {
            case "AbortError": .retry("network.timed-out")
            case "RangeError": .retry(.notOurAnswer)
            default: .retryOnNetwork("network.unreachable")
            }
    }
}
