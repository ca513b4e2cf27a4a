import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import RelayServer

@Suite("The turns of requests")
struct RequestTurnsTests {
    @Test("let senders that were refused begin a few at a time, in their order, and others at once")
    func turns() {
        let loop = EmbeddedEventLoop()
        let turns = RequestTurns(loop)
        var begun: [Int] = []
        for number in 1...5 { turns.begin(isBehind: true) { begun.append(number) } }
        // The first one finds nobody before it.
        #expect(begun == [1])
        turns.begin(isBehind: false) { begun.append(0) }
        #expect(begun == [1, 0])
        loop.advanceTime(by: RequestTurns.pause)
        #expect(begun == [1, 0, 2, 3])
        turns.begin(isBehind: true) { begun.append(6) }
        #expect(begun == [1, 0, 2, 3])
        loop.advanceTime(by: RequestTurns.pause)
        loop.advanceTime(by: RequestTurns.pause)
        #expect(begun == [1, 0, 2, 3, 4, 5, 6])
        loop.advanceTime(by: RequestTurns.pause)
        turns.begin(isBehind: true) { begun.append(7) }
        #expect(begun.last == 7)
    }

    private static let sender = RequestRates.Sender(network: "192.0.2.1", site: "192.0.2.0/24")

    @Test("know a refused sender again by its token, its network or its site, for a while")
    func refused() {
        let start = NIODeadline.uptimeNanoseconds(1 << 40)
        let senders = RefusedSenders(now: start)
        let other = RequestRates.Sender(network: "198.51.100.1", site: "198.51.100.0/24")
        let neighbour = RequestRates.Sender(network: "192.0.2.2", site: "192.0.2.0/24")
        senders.refused(RefusedSenders.names(token: "Bearer a", Self.sender), at: start)
        func knows(_ token: String?, _ sender: RequestRates.Sender?, after: TimeAmount) -> Bool {
            senders.include(RefusedSenders.names(token: token, sender), at: start + after)
        }
        #expect(knows("Bearer a", other, after: .zero))
        #expect(knows("Bearer b", Self.sender, after: .zero))
        #expect(knows(nil, neighbour, after: .zero))
        #expect(!knows("Bearer b", other, after: .zero))
        #expect(!knows(nil, nil, after: .zero))
        #expect(knows("Bearer a", other, after: RefusedSenders.period))
        #expect(!knows("Bearer a", Self.sender, after: RefusedSenders.period * 3))
    }

    @Test("keep a bounded number of refused senders")
    func bounded() {
        let start = NIODeadline.uptimeNanoseconds(1 << 40)
        let senders = RefusedSenders(now: start)
        for number in 0..<3 * RefusedSenders.most { senders.refused([number], at: start) }
        #expect(senders.count <= 2 * RefusedSenders.most)
        #expect(senders.include([3 * RefusedSenders.most - 1], at: start))
    }

    @Test(
        "put a sender behind others for a refusal, not for a fault of the relay",
        arguments: [(200, false), (401, true), (429, true), (500, false), (503, false)]
    )
    func statuses(code: Int, isBehind: Bool) throws {
        let gate = RequestGate(
            rates: RequestRates(perSecond: 1),
            source: RequestSource(trustedProxies: 1),
            metrics: RelayMetrics(),
            policy: ""
        )
        let head = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "localhost",
            path: "/",
            headerFields: [.authorization: "Bearer a"]
        )
        let peer = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        let names = gate.names(of: head, from: peer)
        #expect(names.count == 3)
        gate.answered(names, with: .init(code: code))
        #expect(gate.refused.include(names, at: .now()) == isBehind)
    }
}
