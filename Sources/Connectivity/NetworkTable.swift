#if os(Linux)
    import ConnectivityCore

    /// A route into a network, by what tells it from others: counters and lifetimes do not.
    struct NetworkWay: Hashable, Sendable {
        var family: UInt8
        var table: UInt32
        var prefixLength: UInt8
        var destination: [UInt8]
        var gateway: [UInt8]
        var link: Int32
    }

    /// Links, addresses and routes, as the kernel lists them.
    struct NetworkTable {
        private struct Link {
            var name: String
            var flags: UInt32

            /// IFF_UP and IFF_RUNNING, which includes that there is a carrier, and not IFF_LOOPBACK.
            var isUsable: Bool { flags & 0x1 != 0 && flags & 0x40 != 0 && flags & 0x8 == 0 }
        }

        private struct Address: Hashable {
            var family: UInt8
            var link: Int32
        }

        /// The most links, addresses and routes each. A machine with more is a router: further
        /// entries are left out, default routes last.
        private static let limit = 4096

        private var links: [Int32: Link] = [:]
        private var addresses: Set<Address> = []
        private var metrics: [NetworkWay: UInt32] = [:]

        /// Adds one entry of a table. Ignores any other message.
        mutating func add(_ message: NetlinkMessage) {
            switch message.type {
            case Netlink.newLink: addLink(message.body)
            case Netlink.newAddress: addAddress(message.body)
            case Netlink.newRoute: addRoute(message.body)
            default: break
            }
        }

        private mutating func addLink(_ body: NetlinkBytes) {
            guard let family = body.integer(UInt8.self, at: 0), family == 0,
                let index = body.integer(Int32.self, at: 4),
                let flags = body.integer(UInt32.self, at: 8),
                links.count < Self.limit
            else { return }
            // IFLA_IFNAME
            let name = body.attributes(from: 16)[3]?.bytes.prefix { $0 != 0 } ?? []
            links[index] = Link(name: String(decoding: name, as: UTF8.self), flags: flags)
        }

        private mutating func addAddress(_ body: NetlinkBytes) {
            guard let family = body.integer(UInt8.self, at: 0), Self.isInternet(family),
                let shortFlags = body.integer(UInt8.self, at: 2),
                let scope = body.integer(UInt8.self, at: 3),
                let link = body.integer(Int32.self, at: 4),
                addresses.count < Self.limit
            else { return }
            // IFA_FLAGS
            let flags =
                body.attributes(from: 8)[8]?.integer(UInt32.self, at: 0) ?? UInt32(shortFlags)
            // IFA_F_DADFAILED; IFA_F_TENTATIVE without IFA_F_OPTIMISTIC
            let isPending = flags & 0x8 != 0 || (flags & 0x40 != 0 && flags & 0x4 == 0)
            // RT_SCOPE_LINK and narrower do not lead anywhere.
            if scope < 253, !isPending { addresses.insert(Address(family: family, link: link)) }
        }

        private mutating func addRoute(_ body: NetlinkBytes) {
            guard let family = body.integer(UInt8.self, at: 0), Self.isInternet(family),
                let prefixLength = body.integer(UInt8.self, at: 1),
                let shortTable = body.integer(UInt8.self, at: 4),
                // RTN_UNICAST
                let type = body.integer(UInt8.self, at: 7), type == 1,
                // RTM_F_CLONED: a note about one destination
                let flags = body.integer(UInt32.self, at: 8), flags & 0x200 == 0
            else { return }
            let attributes = body.attributes(from: 12)
            // RTA_TABLE, RTA_DST, RTA_PRIORITY
            let table = attributes[15]?.integer(UInt32.self, at: 0) ?? UInt32(shortTable)
            let destination = attributes[1].map { Array($0.bytes) } ?? []
            let metric = attributes[6]?.integer(UInt32.self, at: 0) ?? 0
            guard table != 255, !Self.isLinkLocal(destination) else { return }
            for (link, gateway) in Self.hops(attributes) {
                let isDefault = prefixLength == 0
                guard metrics.count < (isDefault ? 2 * Self.limit : Self.limit) else { return }
                let way = NetworkWay(
                    family: family,
                    table: table,
                    prefixLength: prefixLength,
                    destination: destination,
                    gateway: gateway,
                    link: link
                )
                metrics[way] = Swift.min(metrics[way] ?? .max, metric)
            }
        }

        /// AF_INET, AF_INET6.
        private static func isInternet(_ family: UInt8) -> Bool { family == 2 || family == 10 }

        /// The networks fe80::/10 and 169.254.0.0/16, in which every link has an address of its
        /// own.
        private static func isLinkLocal(_ address: [UInt8]) -> Bool {
            address.count == 4 && address[0] == 169 && address[1] == 254
                || address.count == 16 && address[0] == 0xfe && address[1] & 0xc0 == 0x80
        }

        private static func hops(
            _ attributes: [UInt16: NetlinkBytes]
        ) -> [(link: Int32, gateway: [UInt8])] {
            // RTA_GATEWAY or RTA_VIA, RTA_OIF
            func gateway(_ attributes: [UInt16: NetlinkBytes]) -> [UInt8] {
                (attributes[5] ?? attributes[18]).map { Array($0.bytes) } ?? []
            }
            var hops: [(link: Int32, gateway: [UInt8])] = []
            if let link = attributes[4]?.integer(Int32.self, at: 0) {
                hops.append((link, gateway(attributes)))
            }
            // RTA_MULTIPATH, a list of struct rtnexthop
            var rest = attributes[9] ?? NetlinkBytes(bytes: [])
            while let length = rest.integer(UInt16.self, at: 0), length >= 8,
                Int(length) <= rest.count, let link = rest.integer(Int32.self, at: 4)
            {
                hops.append((link, gateway(rest.prefix(Int(length)).attributes(from: 8))))
                rest = rest.dropping((Int(length) + 3) & ~3)
            }
            return hops
        }

        /// - Parameter connectionType: Of the interface of that name and index.
        func observation(connectionType: (String, Int32) -> ConnectionType) -> NetworkObservation {
            let usable = metrics.filter { way, _ in
                links[way.link]?.isUsable == true
                    && addresses.contains(Address(family: way.family, link: way.link))
            }
            // The table main before others, then the smallest metric; the rest only decides always
            // the same.
            let best =
                usable.filter { $0.key.prefixLength == 0 }
                .min {
                    ($0.key.table == 254 ? 0 : 1, $0.value, $0.key.family, $0.key.link)
                        < ($1.key.table == 254 ? 0 : 1, $1.value, $1.key.family, $1.key.link)
                }
            let name = best.flatMap { links[$0.key.link]?.name }
            return NetworkObservation(
                isConnected: best != nil,
                connectionType: best.flatMap { best in
                    name.map { connectionType($0, best.key.link) }
                } ?? .unknown,
                ways: Set(usable.keys)
            )
        }
    }
#endif
