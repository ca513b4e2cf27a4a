#if os(Linux)
    /// The requests to the kernel, and the meaning of the answers. A pure value without a socket
    /// and without a clock.
    ///
    /// An event is only a hint: the session reads the three tables anew after each event. Events do
    /// not report every change (a link that goes down takes its routes along in silence), and an
    /// event that is lost to an overrun needs no special treatment.
    ///
    /// 1. At most one table is being read.
    /// 2. An event during the reading is not lost: it is read again.
    /// 3. After a failure nothing is known, until the next event begins a new reading.
    struct NetlinkSession {
        enum Action {
            case send([UInt8])
            /// `nil`: nothing is known.
            case report(NetworkTable?)
        }

        private static let tables = [Netlink.getLink, Netlink.getAddress, Netlink.getRoute]
        /// The most readings in a row that are thrown away because a table changed meanwhile.
        private static let patience = 4

        private let port: UInt32
        private var sequence: UInt32 = 0
        /// The index of the table that is being read.
        private var reading: Int?
        private var table = NetworkTable()
        private var isStale = false
        private var discarded = 0

        /// - Parameter port: The socket's own.
        init(port: UInt32) {
            self.port = port
        }

        /// Notes that the session begins, or that events were lost.
        mutating func overran() -> [Action] {
            guard reading == nil else {
                // An answer is never lost to an overrun, and the kernel gives one at a time.
                isStale = true
                return []
            }
            reading = 0
            table = NetworkTable()
            isStale = false
            return [request()]
        }

        /// Notes that the kernel did not answer as expected.
        mutating func failed() -> [Action] {
            reading = nil
            isStale = false
            discarded = 0
            return [.report(nil)]
        }

        /// - Parameter isTruncated: Whether the datagram was longer than what is given.
        mutating func received(_ datagram: [UInt8], isTruncated: Bool = false) -> [Action] {
            let (messages, isCut) = NetlinkMessage.messages(in: datagram)
            var actions: [Action] = []
            for message in messages {
                if message.port == port, message.sequence == sequence {
                    actions += answered(message)
                } else if message.type >= Netlink.newLink, message.type <= Netlink.getRoute {
                    isStale = true
                }
            }
            if isCut || isTruncated {
                isStale = true
                // The end of the answer may have been in what is missing.
                if reading != nil { return actions + failed() }
            }
            if reading == nil, isStale { actions += overran() }
            return actions
        }

        private mutating func answered(_ message: NetlinkMessage) -> [Action] {
            guard let current = reading else { return [] }
            if message.flags & Netlink.interrupted != 0 { isStale = true }
            switch message.type {
            case Netlink.done:
                if let code = message.body.integer(Int32.self, at: 0), code < 0 {
                    return failed()
                }
                guard current == Self.tables.count - 1 else {
                    reading = current + 1
                    return [request()]
                }
                reading = nil
                if isStale, discarded < Self.patience {
                    discarded += 1
                    return overran()
                }
                discarded = 0
                return [.report(table)]
            case Netlink.error:
                return failed()
            default:
                table.add(message)
                return []
            }
        }

        private mutating func request() -> Action {
            sequence &+= 1
            return .send(
                NetlinkMessage.dumpRequest(for: Self.tables[reading ?? 0], sequence: sequence)
            )
        }
    }
#endif
