import HTTPTypes
import Hummingbird
import LibC

/// Names the networks that a request comes from, for the limits on codes and memos.
struct RequestSource: Sendable {
    /// The number of proxies in front of the relay that add to `X-Forwarded-For`. The sender of the
    /// request may have written everything further left in that field.
    let trustedProxies: Int
    /// The other machines whose `X-Forwarded-For` counts, beside this one. Anybody else who reaches
    /// the relay could choose a network.
    var proxies: ProxyAddresses = .thisMachine

    /// An IPv4 address, the first 64 bits of an IPv6 address, or `unknown`.
    func name(of request: Request, peer: String?) -> String {
        Self.network(of: address(in: request.headers, peer: peer))
    }

    /// The networks of the request's sender, see ``networks(of:)``.
    func names(of request: Request, peer: String?) -> [String] {
        Self.networks(of: address(in: request.headers, peer: peer))
    }

    /// The sender as requests are counted; `nil` for a program of this machine, which no proxy
    /// speaks for: it could as well stop the relay.
    func rateSender(of fields: HTTPFields, peer: String?) -> RequestRates.Sender? {
        let named = namedAddress(in: fields, peer: peer ?? Self.unknown)
        let network = Self.network(of: named ?? peer ?? Self.unknown)
        guard named != nil || !Self.isThisMachine(network) else { return nil }
        return RequestRates.Sender(network: network, site: Self.site(of: network))
    }

    private func address(in fields: HTTPFields, peer: String?) -> String {
        let peer = peer ?? Self.unknown
        return namedAddress(in: fields, peer: peer) ?? peer
    }

    /// The address that a proxy names; `nil` where the peer is the sender, as far as is known.
    private func namedAddress(in fields: HTTPFields, peer: String) -> String? {
        guard trustedProxies > 0, proxies.includes(peer),
            let field = HTTPField.Name("X-Forwarded-For")
        else { return nil }
        let hops = fields[values: field].flatMap { $0.split(separator: ",") }
        guard hops.count >= trustedProxies else { return nil }
        return String(hops[hops.count - trustedProxies])
    }

    /// The network of everybody whose address is not known.
    private static let unknown = "unknown"

    /// - Parameter network: As ``network(of:)`` names it.
    static func isThisMachine(_ network: String) -> Bool {
        network.hasPrefix("127.") || network == "0:0:0:0" + suffix
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
        guard let bytes = bytes(of: withoutPort(text)) else { return unknown }
        guard bytes.count == 16 else { return dotted(bytes) }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + suffix
    }

    /// The bytes of an address: 4, also for an IPv4 address within IPv6, or 16. `nil` for a text that
    /// is no address.
    static func bytes(of text: String) -> [UInt8]? {
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

/// The proxies on other machines that the relay believes.
public struct ProxyAddresses: Hashable, Sendable {
    /// Proxies on this machine alone.
    public static let thisMachine = ProxyAddresses(bytes: [])

    private let bytes: Set<[UInt8]>

    private init(bytes: Set<[UInt8]>) {
        self.bytes = bytes
    }

    /// - Parameter list: IPv4 and IPv6 addresses, separated by commas.
    /// - Returns: `nil` for another text.
    public init?(_ list: String) {
        var bytes: Set<[UInt8]> = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = RequestSource.bytes(of: String(part.filter { $0 != " " })) else {
                return nil
            }
            bytes.insert(address)
        }
        self.init(bytes: bytes)
    }

    func includes(_ address: String) -> Bool {
        if RequestSource.isThisMachine(RequestSource.network(of: address)) { return true }
        guard !bytes.isEmpty, let address = RequestSource.bytes(of: address) else { return false }
        return bytes.contains(address)
    }
}
