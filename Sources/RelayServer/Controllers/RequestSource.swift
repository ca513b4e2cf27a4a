import HTTPTypes
import Hummingbird
import LibC

/// Names the network that a request comes from, for the limits on codes.
struct RequestSource: Sendable {
    /// The number of proxies in front of the relay that add to `X-Forwarded-For`. The sender of the
    /// request may have written everything further left in that field.
    let trustedProxies: Int

    /// An IPv4 address, the first 64 bits of an IPv6 address, or `unknown`.
    func name(of request: Request, peer: String?) -> String {
        var address = peer ?? "unknown"
        if trustedProxies > 0, let field = HTTPField.Name("X-Forwarded-For") {
            let hops = request.headers[values: field].flatMap { $0.split(separator: ",") }
            if hops.count >= trustedProxies {
                address = String(hops[hops.count - trustedProxies])
            }
        }
        return Self.network(of: address)
    }

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
        return groups.joined(separator: ":") + "::/64"
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
