import HTTPTypes
import NIOCore
import Testing

@testable import RelayServer

@Suite("The senders that are answered in the background")
struct BackgroundSendersTests {
    private static let sender = RequestRates.Sender(network: "192.0.2.1", site: "192.0.2.0/24")

    @Test("are those refused lately, known again by token, network or site, for a while")
    func refused() {
        let start = NIODeadline.uptimeNanoseconds(1 << 40)
        let senders = BackgroundSenders(now: start)
        let other = RequestRates.Sender(network: "198.51.100.1", site: "198.51.100.0/24")
        let neighbour = RequestRates.Sender(network: "192.0.2.2", site: "192.0.2.0/24")
        senders.refused(BackgroundSenders.Names(token: "Bearer a", Self.sender), at: start)
        func knows(_ token: String?, _ sender: RequestRates.Sender?, after: TimeAmount) -> Bool {
            senders.begun(.init(token: token, sender), at: start + after) == .inBackgroundAfterPause
        }
        #expect(knows("Bearer a", other, after: .zero))
        #expect(knows("Bearer b", Self.sender, after: .zero))
        #expect(knows(nil, neighbour, after: .zero))
        #expect(!knows("Bearer b", other, after: .zero))
        #expect(!knows(nil, nil, after: .zero))
        #expect(knows("Bearer a", other, after: BackgroundSenders.period))
        #expect(!knows("Bearer a", Self.sender, after: BackgroundSenders.period * 3))
    }

    @Test("are kept in a bounded number")
    func bounded() {
        let start = NIODeadline.uptimeNanoseconds(1 << 40)
        let senders = BackgroundSenders(now: start)
        func names(_ number: Int) -> BackgroundSenders.Names { .init(token: "\(number)", nil) }
        let count = 3 * BackgroundSenders.most
        for number in 0..<count { senders.refused(names(number), at: start) }
        #expect(senders.count <= 2 * BackgroundSenders.most)
        #expect(senders.begun(names(count - 1), at: start) == .inBackgroundAfterPause)
    }

    @Test("fill no table with the tokens that they make up once they were refused")
    func madeUp() {
        let start = NIODeadline.uptimeNanoseconds(1 << 40)
        let senders = BackgroundSenders(now: start)
        senders.refused(.init(token: nil, Self.sender), at: start)
        for number in 0..<1000 {
            let names = BackgroundSenders.Names(token: "\(number)", Self.sender)
            #expect(senders.begun(names, at: start) == .inBackgroundAfterPause)
        }
        #expect(senders.countedDevices == 0)
    }

    @Test("are devices that ask quicker than a person, from whatever network")
    func paces() {
        let start = NIODeadline.uptimeNanoseconds(1 << 40)
        let senders = BackgroundSenders(now: start)
        func begun(_ token: String?, _ second: Int64) -> Bool {
            senders.begun(.init(token: token, Self.sender), at: start + .seconds(second))
                == .inBackground
        }
        let burst = Int(BackgroundSenders.burst)
        #expect((0..<burst + 2).map { _ in begun("a", 0) }.count { $0 } == 2)
        #expect((0..<burst).allSatisfy { _ in !begun("b", 0) })
        #expect(!begun("a", 2))
        #expect(begun("a", 2))
        // Many people share a network.
        #expect((0..<100).allSatisfy { _ in !begun(nil, 0) })
    }

    @Test(
        "were refused, and met no fault of the relay",
        arguments: [(200, false), (401, true), (429, true), (500, false), (503, false)]
    )
    func statuses(code: Int, isNoted: Bool) throws {
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
        gate.answered(names, with: .init(code: code))
        #expect(gate.standing(of: names) == (isNoted ? .inBackgroundAfterPause : .atOnce))
    }
}
