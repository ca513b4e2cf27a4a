import LibC

/// The rule by which limits name the network and the site of an address.
package enum NetworkName {
    /// The network of everybody whose address is not known.
    package static let unknown = "unknown"

    /// - Parameter network: As ``network(of:)`` names it.
    package static func isThisMachine(_ network: String) -> Bool {
        network.hasPrefix("127.") || network == "0:0:0:0" + suffix
    }

    /// The networks of an address as proxies write it, the narrowest first: an IPv4 address alone;
    /// the first 64 and the first 48 bits of an IPv6 address. A household has the first, a company,
    /// or whoever rents a server, often the second, which has 65,536 of the first.
    package static func networks(of text: String) -> [String] {
        let network = network(of: text)
        guard network.hasSuffix(suffix) else { return [network] }
        return [network, site(of: network)]
    }

    private static let suffix = "::/64"

    /// The network of an address as proxies write it: bare, in brackets, with or without a port.
    ///
    /// A household has 2^64 IPv6 addresses, so a limit for one address would not be a limit. Any
    /// text that is not an address counts as one network, `unknown`.
    package static func network(of text: String) -> String {
        guard let bytes = bytes(of: withoutPort(text)) else { return unknown }
        guard bytes.count == 16 else { return dotted(bytes) }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + suffix
    }

    /// The bytes of an address: 4, also for an IPv4 address within IPv6, or 16. `nil` for a text that
    /// is no address.
    package static func bytes(of text: String) -> [UInt8]? {
        var address: [UInt8] = Array(repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &address) == 1 { return address }
        var bytes: [UInt8] = Array(repeating: 0, count: 16)
        let zone = text.firstIndex(of: "%") ?? text.endIndex
        guard inet_pton(AF_INET6, String(text[..<zone]), &bytes) == 1 else { return nil }
        let mappedIPv4: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.starts(with: mappedIPv4) ? Array(bytes.suffix(4)) : bytes
    }

    /// The site that a network belongs to: the first 48 bits of an IPv6 address, which a provider
    /// gives to one customer, or the first 24 bits of an IPv4 address.
    ///
    /// - Parameter network: As ``network(of:)`` names it.
    package static func site(of network: String) -> String {
        first(3, of: network, rest: (ipv4: ".0/24", ipv6: "::/48"))
    }

    /// The block that a network belongs to: the first 32 bits of an IPv6 address, which a registry
    /// gives to one provider, or the first 16 bits of an IPv4 address.
    ///
    /// - Parameter network: As ``network(of:)`` names it.
    package static func block(of network: String) -> String {
        first(2, of: network, rest: (ipv4: ".0.0/16", ipv6: "::/32"))
    }

    /// The first parts of a network, with what stands for its other parts; a name that is no address
    /// as it is.
    private static func first(
        _ count: Int,
        of network: String,
        rest: (ipv4: String, ipv6: String)
    ) -> String {
        let isIPv6 = network.hasSuffix(suffix)
        let separator: Character = isIPv6 ? ":" : "."
        let parts = network.split(separator: separator)
        guard isIPv6 || parts.count == 4 else { return network }
        let first = parts.prefix(count).joined(separator: String(separator))
        return first + (isIPv6 ? rest.ipv6 : rest.ipv4)
    }

    private static func withoutPort(_ text: String) -> String {
        let text = text.filter { !$0.isWhitespace }
        if text.hasPrefix("["), let bracket = text.firstIndex(of: "]") {
            return String(text[..<bracket].dropFirst())
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : text
    }

    private static func dotted(_ bytes: [UInt8]) -> String {
        bytes.map { String($0) }.joined(separator: ".")
    }
}
