import HTTPTypes
import Hummingbird
import RelayRules

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
        NetworkName.network(of: address(in: request.headers, peer: peer))
    }

    /// The networks of the request's sender, see ``NetworkName/networks(of:)``.
    func names(of request: Request, peer: String?) -> [String] {
        NetworkName.networks(of: address(in: request.headers, peer: peer))
    }

    /// The sender as requests are counted; `nil` for a program of this machine, which no proxy
    /// speaks for: it could as well stop the relay.
    func rateSender(of fields: HTTPFields, peer: String?) -> RequestRates.Sender? {
        let named = namedAddress(in: fields, peer: peer ?? NetworkName.unknown)
        let network = NetworkName.network(of: named ?? peer ?? NetworkName.unknown)
        guard named != nil || !NetworkName.isThisMachine(network) else { return nil }
        return RequestRates.Sender(network: network, site: NetworkName.site(of: network))
    }

    private func address(in fields: HTTPFields, peer: String?) -> String {
        let peer = peer ?? NetworkName.unknown
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
            guard let address = NetworkName.bytes(of: String(part.filter { $0 != " " })) else {
                return nil
            }
            bytes.insert(address)
        }
        self.init(bytes: bytes)
    }

    /// Whether any address is named.
    var isAnyNamed: Bool { !bytes.isEmpty }

    /// Whether an address is one of those that were named. This machine is one only where it was.
    func names(_ address: String) -> Bool {
        NetworkName.bytes(of: address).map(bytes.contains) ?? false
    }

    func includes(_ address: String) -> Bool {
        if NetworkName.isThisMachine(NetworkName.network(of: address)) { return true }
        return names(address)
    }
}
