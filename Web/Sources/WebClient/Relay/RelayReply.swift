import MemoCore
import OutboxCore

/// A complete answer: from the relay, or from a proxy or portal in between.
struct RelayReply {
    let status: Int
    /// In lower case, without parameters.
    let mediaType: [UInt8]
    let retryAfter: [UInt8]
    let date: [UInt8]
    let body: [UInt8]

    init(_ reader: inout BorderReader) {
        status = Int(reader.number())
        mediaType = reader.block().prefix { $0 != 0x3B && $0 != 0x20 }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        retryAfter = reader.block()
        date = reader.block()
        body = reader.block()
    }

    /// The body, when this is a success of our relay. A captive portal answers 200, too.
    var success: JSON? {
        guard (200..<300).contains(status), mediaType == "application/json" else { return nil }
        return JSON(decoding: body)
    }

    /// The problem that the relay states; `nil` for an answer that is not our relay's own.
    var problem: RelayProblem? {
        guard mediaType == "application/problem+json", let json = JSON(decoding: body),
            json["status"]?.number == Int64(status), let code = json["code"]?.string,
            let isRetryable = json["retryable"]?.bool
        else { return nil }
        return RelayProblem(code: code, isRetryable: isRetryable)
    }

    /// How long the relay asks to wait.
    func wait(now: WallTime) -> Milliseconds? {
        RetryAfter.parse(retryAfter, date: date, now: now)
    }
}

extension RelayReply {
    /// Whether the relay itself says that the token is not valid.
    var refusesToken: Bool { status == 401 && problem?.refusesToken == true }

    /// The outcome of an operation from the answer to its memo's PUT.
    func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        var held: [UInt8]?
        if let json = success, json["status"]?.string != nil { held = json["id"]?.string }
        return MemoAnswer(status: status, held: held, problem: problem, wait: wait(now: now))
            .outcome(for: id)
    }
}

extension DeliveryMachine.Outcome {
    /// The outcome of an operation without an answer.
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
