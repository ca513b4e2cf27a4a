import MemoCore
import OutboxCore
import OutboxTesting
import SimulatedBrowser
import WireCore

/// The network between devices and relay.
extension World {
    /// The longest that a device waits for an answer.
    private static let patience = Milliseconds.seconds(120)

    /// Asks the relay.
    func exchange(
        _ call: RelayCall,
        from process: any DeviceProcess
    ) async -> Exchange.Result {
        let exchange = Exchange(process: process)
        return await exchange.result {
            guard process.connection.isOnline else {
                return exchange.end(.failure(.unreachable), after: latency(), by: scheduler)
            }
            exchange.end(.failure(.timedOut), after: Self.patience, by: scheduler)
            if happens(.requestLost, process.name) {
                return exchange.end(.failure(.connectionLost), after: silence(), by: scheduler)
            }
            if answersInPlaceOfRelay(exchange, process) { return }
            send(call, in: exchange)
            if happens(.requestRepeated, process.name) { send(call, in: exchange) }
        }
    }

    private func send(_ call: RelayCall, in exchange: Exchange) {
        let name = exchange.process.name
        let connection = exchange.process.connection
        let number = connection.numberRequest()
        scheduler.after(latency()) { [self] in
            connection.requestArrives(number)
            relay.receive(call, from: connection.identity) { [self] result in
                if happens(.answerLost, name) {
                    if case .success(let reply) = result, reply.status == 202 {
                        history.count(.acknowledgementLost)
                    }
                    exchange.end(.failure(.connectionLost), after: silence(), by: scheduler)
                } else {
                    exchange.end(result, after: latency(), by: scheduler)
                }
            }
        }
    }

    /// Lets something between device and relay answer.
    private func answersInPlaceOfRelay(_ exchange: Exchange, _ process: any DeviceProcess) -> Bool {
        let reply: NetworkAnswer
        if happens(.tooManyRequests, process.name) {
            reply = NetworkAnswer(status: 429, retryAfter: retryAfter())
        } else if happens(.serverError, process.name) {
            let status = [500, 502, 503, 504].randomElement(using: &random)!
            reply = NetworkAnswer(
                status: status,
                contentType: Array("text/html".utf8),
                retryAfter: retryAfter()
            )
        } else if happens(.foreignAnswer, process.name) {
            reply = [
                NetworkAnswer(
                    status: 200,
                    contentType: Array("text/html".utf8),
                    body: Array("Welcome!".utf8)
                ),
                NetworkAnswer(status: 302), NetworkAnswer(status: 401), NetworkAnswer(status: 404),
                NetworkAnswer(
                    status: 422,
                    contentType: RelayMediaType.json.bytes,
                    body: Array("{}".utf8)
                ),
            ].randomElement(using: &random)!
        } else {
            return false
        }
        exchange.end(.success(reply), after: latency(), by: scheduler)
        return true
    }

    private func retryAfter() -> [UInt8] {
        let field =
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: ""
            case 2: "0"
            case 3: "\(Int.random(in: 1...7200, using: &random))"
            case 4: "999999999999999999999999"
            default: "soon"
            }
        return Array(field.utf8)
    }

    private func latency() -> Milliseconds {
        if happens(.slowLink, "network") {
            return Milliseconds(Int64.random(in: 1000...180_000, using: &random))
        }
        return Milliseconds(Int64.random(in: 1...200, using: &random))
    }

    /// How long it takes to find out that a connection is gone.
    private func silence() -> Milliseconds {
        Milliseconds(Int64.random(in: 1...30_000, using: &random))
    }
}
