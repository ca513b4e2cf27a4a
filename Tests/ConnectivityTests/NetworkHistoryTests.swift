#if os(Linux)
    import Testing

    @testable import Connectivity
    import ConnectivityCore

    @Suite("What arrived")
    struct NetworkHistoryTests {
        private func way(_ gateway: UInt8) -> NetworkWay {
            NetworkWay(
                family: 2,
                table: 254,
                prefixLength: 0,
                destination: [],
                gateway: [192, 0, 2, gateway],
                link: 2
            )
        }

        private func observation(_ gateways: [UInt8]?) -> NetworkObservation {
            NetworkObservation(
                isConnected: gateways != [],
                connectionType: .unknown,
                ways: gateways.map { Set($0.map(way)) }
            )
        }

        @Test("is each way that was not there before; the first state is no arrival")
        func arrivals() {
            let steps: [([UInt8]?, Int)] = [
                ([1], 0), ([1], 0), ([], 0), ([1], 1), ([1, 2], 2), ([2], 2), ([3], 3), ([], 3),
            ]
            var history = NetworkHistory()
            for (gateways, arrivals) in steps {
                #expect(history.observe(observation(gateways)).arrivals == arrivals)
            }
        }

        @Test("is assumed where the system stops or begins to say, and nothing is then held back")
        func unknown() {
            var history = NetworkHistory()
            #expect(history.observe(observation([])).arrivals == 0)
            let state = history.observe(.unknown)
            #expect(state.isConnected)
            #expect(state.connectionType == .unknown)
            #expect(state.arrivals == 1)
            #expect(history.observe(.unknown).arrivals == 1)
            #expect(history.observe(observation([])).arrivals == 1)
            #expect(history.observe(.unknown).arrivals == 2)
            #expect(history.observe(observation([1])).arrivals == 3)
        }
    }
#endif
