import ConnectivityCore
import Testing

@Suite("A state after another, where the system tells no routes")
struct NetworkStateTests {
    private typealias Step = (isConnected: Bool, type: ConnectionType, arrivals: Int)

    private func check(_ steps: [Step], from first: NetworkState) {
        var state = first
        for (number, step) in steps.enumerated() {
            state = state.following(isConnected: step.isConnected, connectionType: step.type)
            let expected = NetworkState(
                isConnected: step.isConnected,
                connectionType: step.type,
                arrivals: step.arrivals
            )
            #expect(state == expected, "step \(number)")
        }
    }

    @Test("a connection that comes is an arrival, and one that goes is none")
    func coming() {
        check(
            [(false, .unknown, 0), (true, .unknown, 1), (false, .unknown, 1), (true, .unknown, 2)],
            from: NetworkState(isConnected: true, arrivals: 0)
        )
    }

    @Test("a connection of another kind is an arrival, also without a gap")
    func replacing() {
        check(
            [
                (true, .cellular, 1), (true, .wifi, 2), (true, .unknown, 3), (true, .ethernet, 4),
                (false, .unknown, 4), (false, .wifi, 4), (true, .wifi, 5),
            ],
            from: NetworkState(isConnected: true, connectionType: .wifi, arrivals: 0)
        )
    }

    @Test(
        "news that change nothing leave the state as it is",
        arguments: ConnectionType.allCases,
        [true, false]
    )
    func repeating(type: ConnectionType, isConnected: Bool) {
        let state = NetworkState(isConnected: isConnected, connectionType: type, arrivals: 3)
        #expect(state.following(isConnected: isConnected, connectionType: type) == state)
    }
}
