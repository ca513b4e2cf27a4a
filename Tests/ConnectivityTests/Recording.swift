#if os(Linux)
    import Foundation

    @testable import Connectivity

    /// What a kernel answered; see `Recorded/README.md`.
    enum Recording {
        static let port: UInt32 = 77
        static let near = "near"

        static func datagram(_ name: String) throws -> [UInt8] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            return Array(try Data(contentsOf: folder.appending(path: "Recorded/\(name).bin")))
        }

        /// Links, addresses and routes, in the order in which a session asks for them.
        static func datagrams() throws -> [[UInt8]] {
            try ["links", "addresses", "routes"].map(datagram)
        }

        /// The same as an answer to the request of that number.
        static func numbered(_ datagram: [UInt8], _ sequence: UInt32) -> [UInt8] {
            var datagram = datagram
            var offset = 0
            while offset + Netlink.headerSize <= datagram.count {
                let length =
                    NetlinkBytes(bytes: datagram[offset...])
                    .integer(UInt32.self, at: 0) ?? 0
                withUnsafeBytes(of: sequence) {
                    datagram.replaceSubrange(offset + 8..<offset + 12, with: $0)
                }
                offset += (Int(length) + 3) & ~3
            }
            return datagram
        }

        /// The table that the whole recording gives.
        static func table() throws -> NetworkTable {
            var table = NetworkTable()
            for datagram in try datagrams() {
                for message in NetlinkMessage.messages(in: datagram).whole { table.add(message) }
            }
            return table
        }

        /// Something changed: a link's event, caused by another program.
        static let event: [UInt8] = message(type: Netlink.newLink, sequence: 1, port: 4711)

        static func message(
            type: UInt16,
            flags: UInt16 = 0,
            sequence: UInt32,
            port: UInt32,
            body: [UInt8] = [UInt8](repeating: 0, count: 16)
        ) -> [UInt8] {
            var bytes: [UInt8] = []
            func append(_ value: some FixedWidthInteger) {
                withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
            }
            append(UInt32(Netlink.headerSize + body.count))
            append(type)
            append(flags)
            append(sequence)
            append(port)
            return bytes + body
        }
    }
#endif
