internal import HTTPTypes
internal import Hummingbird

/// Names the network that a request comes from, for limits.
struct RequestSource: Sendable {
    /// How many proxies in front of the relay add to `X-Forwarded-For`. What lies further left in
    /// that field was written by whoever sent the request.
    let trustedProxies: Int

    /// An IPv4 address, the first 64 bits of an IPv6 address, or `unknown`.
    func name(of request: Request, peer: String?) -> String {
        var address = peer ?? "unknown"
        if trustedProxies > 0, let field = HTTPField.Name("X-Forwarded-For") {
            let hops = request.headers[values: field].flatMap { $0.split(separator: ",") }
            if hops.count >= trustedProxies {
                address = String(hops[hops.count - trustedProxies]).filter { $0 != " " }
            }
        }
        return Self.network(of: address)
    }

    /// A household has 2^64 IPv6 addresses, so one of them is no limit.
    static func network(of address: String) -> String {
        guard address.contains(":") else { return address }
        if let mapped = address.lowercased().split(separator: "::ffff:").last,
            mapped.contains(".")
        {
            return String(mapped)
        }
        let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        var groups = halves[0].split(separator: ":").map(String.init)
        if halves.count == 2 {
            let tail = halves[1].split(separator: ":").map(String.init)
            groups += Array(repeating: "0", count: max(0, 8 - groups.count - tail.count)) + tail
        }
        return groups.prefix(4).map { $0.lowercased() }.joined(separator: ":") + "::/64"
    }
}
