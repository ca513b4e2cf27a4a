import HTTPTypes
import Hummingbird
import LibC

/// Names the networks that a request comes from, for the limits on codes and memos.
struct RequestSource: Sendable {
    /// The number of proxies in front of the relay that add to `X-Forwarded-For`. The sender of the
    /// request may have written everything further left in that field.
    let trustedProxies: Int

    /// An IPv4 address, the first 64 bits of an IPv6 address, or `unknown`.
    func name(of request: Request, peer: String?) -> String {
        Self.network(of: address(of: request, peer: peer))
    }

    /// The networks of the request's sender, see ``networks(of:)``.
    func names(of request: Request, peer: String?) -> [String] {
        Self.networks(of: address(of: request, peer: peer))
    }

    private func address(of request: Request, peer: String?) -> String {
        var address = peer ?? "unknown"
        if trustedProxies > 0, let field = HTTPField.Name("X-Forwarded-For") {
            let hops = request.headers[values: field].flatMap { $0.split(separator: ",") }
            if hops.count >= trustedProxies {
                address = String(hops[hops.count - trustedProxies])
            }
        }
        return address
    }

    /// The networks of an address as proxies write it, the narrowest first: an IPv4 address alone;
    /// the first 64 and the first 48 bits of an IPv6 address. A household has the first, a company,
    /// or whoever rents a server, often the second, which has 65,536 of the first.
    static func networks(of text: String) -> [String] {
        let network = network(of: text)
        guard network.hasSuffix(suffix) else { return [network] }
        return [network, site(of: network)]
    }

    private static let suffix = "::/64"

    /// The network of an address as proxies write it: bare, in brackets, with or without a port.
    ///
    /// A household has 2^64 IPv6 addresses, so a limit for one address would not be a limit. Any
    /// text that is not an address counts as one network, `unknown`.
    static func network(of text: String) -> String {
        let text = withoutPort(text)
        var address = in_addr()
        if inet_pton(AF_INET, text, &address) == 1 {
            return dotted(withUnsafeBytes(of: address) { Array($0) })
        }
        var longAddress = in6_addr()
        let zone = text.firstIndex(of: "%") ?? text.endIndex
        guard inet_pton(AF_INET6, String(text[..<zone]), &longAddress) == 1 else {
            return "unknown"
        }
        let bytes = withUnsafeBytes(of: longAddress) { Array($0) }
        let mappedIPv4: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        if bytes.starts(with: mappedIPv4) { return dotted(Array(bytes.suffix(4))) }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + suffix
    }

    /// The site that a network belongs to: the first 48 bits of an IPv6 address, which a provider
    /// gives to one customer, or the first 24 bits of an IPv4 address.
    ///
    /// - Parameter network: As ``network(of:)`` names it.
    static func site(of network: String) -> String {
        let isIPv6 = network.hasSuffix(suffix)
        let separator: Character = isIPv6 ? ":" : "."
        let parts = network.split(separator: separator)
        guard isIPv6 || parts.count == 4 else { return network }
        let first = parts.prefix(3).joined(separator: String(separator))
        return first + (isIPv6 ? "::/48" : ".0/24")
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
