import ConnectivityCore
@_spi(Device) import Network
import Testing

@testable import Connectivity

/// The courses of events that `NetworkMonitorTests` makes with real links on Linux, as an Apple
/// system tells them.
@Suite("Paths of Apple's Network", .serialized)
struct NetworkPathTests {
    private static let wifi = NWInterface("en0", .wifi)
    private static let cellular = NWInterface("pdp_ip0", .cellular)
    private static let cable = NWInterface("en5", .wiredEthernet)
    private static let tunnel = NWInterface("utun4", nil)

    /// The states after each path, of a monitor that sees the first path at once.
    private func states(after paths: [NWPath]) async -> [NetworkState] {
        Paths.change(to: paths[0])
        var states = NetworkMonitor().makeAsyncIterator()
        var seen: [NetworkState] = []
        if let state = await states.next() { seen.append(state) }
        for path in paths.dropFirst() {
            Paths.change(to: path)
            if let state = await states.next() { seen.append(state) }
        }
        return seen
    }

    private func lines(after paths: [NWPath]) async -> [String] {
        await states(after: paths).map { state in
            "\(state.isConnected ? "connected" : "disconnected") \(state.connectionType) \(state.arrivals)"
        }
    }

    @Test("follow a link that comes, goes down, returns and disappears")
    func link() async {
        let up = NWPath(.satisfied, [Self.cable], gateways: ["192.0.2.2"])
        let down = NWPath(.unsatisfied)
        #expect(
            await lines(after: [down, up, down, up, down]) == [
                "disconnected unknown 0", "connected ethernet 1", "disconnected unknown 1",
                "connected ethernet 2", "disconnected unknown 2",
            ]
        )
    }

    @Test("count an arrival where one network replaces another without a gap")
    func replaced() async {
        #expect(
            await lines(after: [
                NWPath(.satisfied, [Self.wifi], gateways: ["192.0.2.1"]),
                NWPath(.satisfied, [Self.wifi], gateways: ["198.51.100.1"]),
                NWPath(.satisfied, [Self.cellular]),
                NWPath(.satisfied, [Self.wifi, Self.cellular], gateways: ["192.0.2.1"]),
            ]) == [
                "connected wifi 0", "connected wifi 1", "connected cellular 2", "connected wifi 3",
            ]
        )
    }

    @Test("count none where a way is lost and another remains")
    func lost() async {
        #expect(
            await lines(after: [
                NWPath(.satisfied, [Self.wifi, Self.cellular], gateways: ["192.0.2.1"]),
                NWPath(.satisfied, [Self.cellular]),
            ]) == ["connected wifi 0", "connected cellular 0"]
        )
    }

    @Test("of a tunnel have no type")
    func tunnel() async {
        #expect(
            await lines(after: [NWPath(.satisfied, [Self.tunnel])]) == ["connected unknown 0"]
        )
    }

    @Test("end with their task")
    func ends() async {
        Paths.change(to: NWPath(.unsatisfied))
        let before = Paths.now.listening
        let (started, start) = AsyncStream<NetworkState>.makeStream()
        let task = Task {
            for await state in NetworkMonitor() { start.yield(state) }
        }
        #expect(await started.first { _ in true }?.isConnected == false)
        #expect(Paths.now.listening == before + 1)
        task.cancel()
        await task.value
        #expect(Paths.now.listening == before)
    }
}
