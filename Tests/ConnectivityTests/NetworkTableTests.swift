#if os(Linux)
    import Foundation
    import OutboxTesting
    import TestSeeds
    import Testing

    @testable import Connectivity
    import ConnectivityCore

    @Suite("The tables of the kernel")
    struct NetworkTableTests {
        @Test("a recorded answer gives its default route, the preferred one's link, and its ways")
        func recorded() throws {
            var asked: [String] = []
            let observation = try Recording.table().observation { name, _ in
                asked.append(name)
                return .ethernet
            }
            #expect(observation.isConnected)
            #expect(observation.connectionType == .ethernet)
            #expect(asked == [Recording.near])
            let ways = try #require(observation.ways)
            // Two default routes, two networks, two hops; neither black hole nor link-local.
            #expect(ways.count { $0.prefixLength == 0 } == 2)
            #expect(ways.count { $0.destination == [198, 51, 100, 0] } == 2)
            #expect(ways.contains { $0.destination == [192, 0, 2, 0] && $0.prefixLength == 24 })
            #expect(!ways.contains { $0.destination == [203, 0, 113, 0] })
            #expect(!ways.contains { $0.destination.first == 0xfe })
            #expect(ways.count == 6)
        }

        @Test("without links, without addresses or without routes nothing is connected")
        func partial() throws {
            for absent in 0..<3 {
                var table = NetworkTable()
                for (index, datagram) in try Recording.datagrams().enumerated()
                where index != absent {
                    for message in NetlinkMessage.messages(in: datagram).whole {
                        table.add(message)
                    }
                }
                let observation = table.observation { _, _ in .ethernet }
                #expect(
                    observation
                        == NetworkObservation(
                            isConnected: false,
                            connectionType: .unknown,
                            ways: []
                        )
                )
            }
        }

        @Test("a message cut anywhere gives only what is whole, and says that it is cut")
        func truncated() throws {
            for datagram in try Recording.datagrams() {
                let whole = NetlinkMessage.messages(in: datagram)
                #expect(!whole.isCut)
                var ends: Set<Int> = [0]
                var end = 0
                for message in whole.whole {
                    end += (message.body.count + Netlink.headerSize + 3) & ~3
                    ends.insert(end)
                }
                #expect(end == datagram.count)
                for length in 0..<datagram.count {
                    let cut = NetlinkMessage.messages(in: Array(datagram.prefix(length)))
                    #expect(cut.isCut == !ends.contains(length))
                    #expect(cut.whole.count == ends.count { $0 <= length } - 1)
                }
            }
        }

        @Test(
            "an entry cut or changed anywhere, and random bytes, are read within their bounds",
            arguments: TestSeeds["netlink"]
        )
        func hostile(seed: UInt64) throws {
            var random = SeededRandom(seed: seed)
            let datagrams = try Recording.datagrams()
            let messages = datagrams.flatMap { NetlinkMessage.messages(in: $0).whole }
            var table = NetworkTable()
            for message in messages {
                for length in 0...message.body.count {
                    table.add(message.with(Array(message.body.bytes.prefix(length))))
                }
            }
            for _ in 0..<20_000 {
                let message = try #require(messages.randomElement(using: &random))
                var body = Array(message.body.bytes)
                for _ in 0..<Int.random(in: 1...8, using: &random) where !body.isEmpty {
                    body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(
                        in: 0 ... .max,
                        using: &random
                    )
                }
                table.add(message.with(body))
            }
            var session = NetlinkSession(port: Recording.port)
            _ = session.overran()
            for _ in 0..<20_000 {
                var bytes = datagrams[Int.random(in: 0..<3, using: &random)]
                if Bool.random(using: &random) {
                    bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                        UInt8.random(in: 0 ... .max, using: &random)
                    }
                } else {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0xff
                    bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
                }
                for case .report(let table?) in session.received(bytes) {
                    _ = table.observation { _, _ in .unknown }
                }
            }
            let ways = table.observation { _, _ in .unknown }.ways
            #expect(ways != nil && ways!.count <= 2 * 4096, "seed \(seed)")
        }
    }

    extension NetlinkMessage {
        /// In an array of just that size, so that reading beyond it would not go unnoticed.
        fileprivate func with(_ body: [UInt8]) -> NetlinkMessage {
            NetlinkMessage(
                type: type,
                flags: flags,
                sequence: sequence,
                port: port,
                body: NetlinkBytes(bytes: body[...])
            )
        }
    }
#endif
