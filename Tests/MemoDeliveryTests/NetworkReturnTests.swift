#if os(Linux)
    import Testing

    @testable import MemoDelivery

    @Suite("The network's return")
    struct NetworkReturnTests {
        private static let header =
            "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"

        @Test("is a route that was not there before; counters and loopback do not count")
        func routes() {
            let one = Self.header + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\n"
            let used = Self.header + "eth0\t00000000\t0100A8C0\t0003\t5\t77\t100\t00000000\n"
            let loopback =
                "00000000000000000000000000000001 80 "
                + "00000000000000000000000000000000 00 00000000000000000000000000000000 "
                + "00000000 00000007 00000000 80200001       lo\n"
            let before = NetworkReturn.routes(version4: one, version6: loopback)
            #expect(before.count == 1)
            #expect(NetworkReturn.routes(version4: used, version6: "") == before)
            #expect(NetworkReturn.routes(version4: Self.header, version6: loopback).isEmpty)
            #expect(NetworkReturn.routes(version4: "", version6: "").isEmpty)
        }

        @Test("reads this machine's routes without failing")
        func real() {
            _ = NetworkReturn.routes()
        }
    }
#endif
