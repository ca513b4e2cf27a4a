import HTTPTypes
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import Synchronization
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("Long bodies that are no memos")
struct WastedBodiesTests {
    private let long = MemoWork.shortLength + 1

    private func device(_ number: UInt64) -> DeviceID {
        DeviceID(bits: OperationID(high: 0, low: number))
    }

    @Test("are refused to their device before they come, after eight; nothing else is refused")
    func refused() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let other = try await fixture.token(relay)
        let text = String(repeating: "x", count: long)
        try await relay.application().listeningOnPort { port in
            func put(_ body: String, _ token: String, isSent: Bool = true) async throws -> String {
                try await RawConnection.open(to: port) { connection in
                    let head =
                        "PUT \(RelayPath.memo(.new())) HTTP/1.1\r\nHost: localhost\r\n"
                        + "Authorization: Bearer \(token)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n"
                    try await connection.send(isSent ? head + body : head)
                    return try await connection.readAnswers(1)
                }
            }
            let memo = "{\"text\":\"\(text)\"}"
            for _ in 0..<WastedBodies.most {
                #expect(try await put(memo, token).hasPrefix("HTTP/1.1 202 "))
            }
            for _ in 0..<WastedBodies.most {
                #expect(try await put(text, token).hasPrefix("HTTP/1.1 400 "))
            }
            let refused = try await put(memo, token, isSent: false)
            #expect(refused.hasPrefix("HTTP/1.1 429 "), "\(refused)")
            #expect(refused.contains("Retry-After: 60\r\n"), "\(refused)")
            #expect(try await put("{\"text\":\"x\"}", token).hasPrefix("HTTP/1.1 202 "))
            #expect(try await put(memo, other).hasPrefix("HTTP/1.1 202 "))
        }
        var page = PrometheusText()
        relay.metrics.write(to: &page)
        #expect(page.text.contains(#"memo_relay_limits_total{limit="bodies"} 1"#))
    }

    @Test("are forgotten after one to two minutes, and in a table that does not grow")
    func forgotten() throws {
        let seconds = Mutex<Int64>(0)
        let wasted = WastedBodies {
            .uptimeNanoseconds(0) + .seconds(seconds.withLock { $0 })
        }
        func isRefused(at time: Int64) -> Bool {
            seconds.withLock { $0 = time }
            do {
                try wasted.check(device(1), length: long)
                return false
            } catch {
                return true
            }
        }
        for number in 0..<WastedBodies.most {
            #expect(!isRefused(at: 50 + Int64(number)))
            wasted.count(device(1), length: long, refusedWith: Refusal.malformedBody)
        }
        #expect(isRefused(at: 59) && isRefused(at: 60) && isRefused(at: 119))
        #expect(!isRefused(at: 120))
        for number in 0..<100_000 {
            wasted.count(device(UInt64(number)), length: long, refusedWith: Refusal.tooLarge)
        }
        #expect(wasted.count <= 2 * WastedBodies.mostDevices)
    }

    @Test("are those that were refused for their content alone")
    func content() throws {
        let wasted = WastedBodies()
        for _ in 0..<100 {
            for refusal in [Refusal.busy, .unavailable, .tooSlow, .diskReserved, .tokenRevoked] {
                wasted.count(device(1), length: long, refusedWith: refusal)
            }
            wasted.count(device(1), length: long, refusedWith: CancellationError())
            wasted.count(device(1), length: long - 1, refusedWith: Refusal.malformedBody)
        }
        try wasted.check(device(1), length: long)
    }
}
