#if os(Linux)
    /// Numbers of the kernel's interface that the C library's module does not bring to Swift:
    /// linux/netlink.h, linux/rtnetlink.h, linux/if.h, linux/if_link.h, linux/if_addr.h.
    enum Netlink {
        static let protocolRoute: Int32 = 0
        /// RTMGRP_LINK, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE.
        static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let getLink: UInt16 = 18
        static let newAddress: UInt16 = 20
        static let getAddress: UInt16 = 22
        static let newRoute: UInt16 = 24
        static let getRoute: UInt16 = 26

        /// NLM_F_REQUEST and NLM_F_DUMP.
        static let dumpRequest: UInt16 = 0x1 | 0x300
        /// NLM_F_DUMP_INTR: the table changed while it was read.
        static let interrupted: UInt16 = 0x10

        static let headerSize = 16
    }

    /// Bytes from the kernel. Everything read is checked against their end.
    struct NetlinkBytes {
        let bytes: ArraySlice<UInt8>

        var count: Int { bytes.count }

        /// - Returns: `nil` beyond the end.
        func integer<Integer: FixedWidthInteger>(
            _ type: Integer.Type = Integer.self,
            at offset: Int
        ) -> Integer? {
            guard offset >= 0, offset <= count - MemoryLayout<Integer>.size else { return nil }
            return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }

        /// - Returns: The bytes from `offset` on; empty beyond the end.
        func dropping(_ offset: Int) -> NetlinkBytes {
            NetlinkBytes(bytes: bytes.dropFirst(Swift.max(offset, 0)))
        }

        func prefix(_ length: Int) -> NetlinkBytes {
            NetlinkBytes(bytes: bytes.prefix(Swift.max(length, 0)))
        }

        /// The attributes from `offset` on, up to the first that is not whole. The last of a kind
        /// counts.
        func attributes(from offset: Int) -> [UInt16: NetlinkBytes] {
            var attributes: [UInt16: NetlinkBytes] = [:]
            var rest = dropping(offset)
            while let length = rest.integer(UInt16.self, at: 0),
                let type = rest.integer(UInt16.self, at: 2),
                length >= 4, Int(length) <= rest.count
            {
                // The upper two bits say how the value is written.
                attributes[type & 0x3fff] = rest.prefix(Int(length)).dropping(4)
                rest = rest.dropping((Int(length) + 3) & ~3)
            }
            return attributes
        }
    }

    /// One message of a datagram.
    struct NetlinkMessage {
        let type: UInt16
        let flags: UInt16
        let sequence: UInt32
        /// The socket whose request this answers, or that caused it.
        let port: UInt32
        let body: NetlinkBytes

        /// - Returns: The messages up to the first that is not whole, and whether there is one.
        static func messages(in datagram: [UInt8]) -> (whole: [NetlinkMessage], isCut: Bool) {
            var messages: [NetlinkMessage] = []
            var rest = NetlinkBytes(bytes: datagram[...])
            while let length = rest.integer(UInt32.self, at: 0) {
                guard length >= Netlink.headerSize, length <= rest.count,
                    let type = rest.integer(UInt16.self, at: 4),
                    let flags = rest.integer(UInt16.self, at: 6),
                    let sequence = rest.integer(UInt32.self, at: 8),
                    let port = rest.integer(UInt32.self, at: 12)
                else { break }
                messages.append(
                    NetlinkMessage(
                        type: type,
                        flags: flags,
                        sequence: sequence,
                        port: port,
                        body: rest.prefix(Int(length)).dropping(Netlink.headerSize)
                    )
                )
                rest = rest.dropping((Int(length) + 3) & ~3)
            }
            return (messages, rest.count > 0)
        }

        /// A request for a whole table, of all families.
        static func dumpRequest(for table: UInt16, sequence: UInt32) -> [UInt8] {
            let bodySize =
                switch table {
                case Netlink.getLink: 16
                case Netlink.getAddress: 8
                default: 12
                }
            var request: [UInt8] = []
            func append(_ value: some FixedWidthInteger) {
                withUnsafeBytes(of: value) { request.append(contentsOf: $0) }
            }
            append(UInt32(Netlink.headerSize + bodySize))
            append(table)
            append(Netlink.dumpRequest)
            append(sequence)
            append(UInt32(0))
            request.append(contentsOf: repeatElement(0, count: bodySize))
            return request
        }
    }
#endif
