import LibC
import RelayRules

/// An IP address, version 4 or 6.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes, in network order.
    package let bytes: [UInt8]

    /// - Parameter bytes: Four or sixteen bytes. An IPv4 address within IPv6 becomes that one.
    /// - Returns: `nil` for another number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// - Parameter text: `192.0.2.1` or `2001:db8::1`, without brackets, port or zone.
    package init?(_ text: String) {
        guard !text.contains("%"), let bytes = NetworkName.bytes(of: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The version: 4 or 6.
    package var version: Int { bytes.count == 4 ? 4 : 6 }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(version == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the first `length` bits are those of another address of the same version.
    package func isWithin(_ network: IPAddress, length: Int) -> Bool {
        guard version == network.version else { return false }
        return bytes.indices.allSatisfy { index in
            let bits = min(max(length - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return bytes[index] & mask == network.bytes[index] & mask
        }
    }

    /// Whether other machines of the internet can see mail come from the address: it is none of this
    /// machine, of a private network, or of a link.
    package var isPublic: Bool {
        !Self.notPublic.contains { isWithin($0.network, length: $0.length) }
    }

    private static let notPublic: [(network: IPAddress, length: Int)] =
        [
            ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8),
            ("169.254.0.0", 16), ("172.16.0.0", 12), ("192.168.0.0", 16), ("::", 127),
            ("fc00::", 7), ("fe80::", 10),
        ]
        .compactMap { text, length in IPAddress(text).map { ($0, length) } }

    /// The name under which the address's names are found
    /// ([RFC 1035, section 3.5](https://www.rfc-editor.org/rfc/rfc1035#section-3.5),
    /// [RFC 3596, section 2.5](https://www.rfc-editor.org/rfc/rfc3596#section-2.5)).
    package var reverseName: String {
        guard version == 6 else {
            return bytes.reversed().map { "\($0)." }.joined() + "in-addr.arpa"
        }
        let digits = bytes.reversed().flatMap { [$0 & 15, $0 >> 4] }
        return digits.map { String($0, radix: 16) + "." }.joined() + "ip6.arpa"
    }
}
