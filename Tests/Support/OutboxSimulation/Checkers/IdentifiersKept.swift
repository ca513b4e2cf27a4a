import OutboxCore

/// A memo keeps the one identifier that it was given, whatever happens: on the wire and in the mail.
struct IdentifiersKept: Checker {
    let name = "an identifier is never made anew"

    private var bodies: [OperationID: [UInt8]] = [:]
    private var ids: [[UInt8]: OperationID] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .requested(let id, let body) = observation else { return nil }
        if let known = bodies.updateValue(body, forKey: id), known != body {
            return "two memos were sent under one identifier"
        }
        if let known = ids.updateValue(id, forKey: body), known != id {
            return "one memo was sent under two identifiers"
        }
        return nil
    }
}
