import RelayAPI

/// The URL at which people reach a relay: `https://HOST[:PORT]`, or `http` with the same form.
public struct PublicURL: Hashable, Sendable {
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// The host, in lower case, with the port where it is not the scheme's own.
    let authority: String

    /// - Returns: `nil` for any other text, also for a URL with a path, a user or a query.
    public init?(_ text: String) {
        let schemes = [("https://", true), ("http://", false)]
        guard let (scheme, isSecure) = schemes.first(where: { text.lowercased().hasPrefix($0.0) })
        else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let authority = Self.normal(rest, isSecure: isSecure) else { return nil }
        self.isSecure = isSecure
        self.authority = authority
    }

    /// The URL, without a slash at its end.
    var text: String { (isSecure ? "https://" : "http://") + authority }

    /// Whether a request with this `Host` was meant for the relay at this URL, or comes from a
    /// program of this machine.
    func admits(_ authority: String) -> Bool {
        guard let normal = Self.normal(authority[...], isSecure: isSecure) else { return false }
        return normal == self.authority || Self.host(of: normal).isLoopbackHost
    }

    /// Whether the URL names this machine itself.
    var isOfThisMachine: Bool { Self.host(of: authority).isLoopbackHost }

    private static func normal(_ authority: Substring, isSecure: Bool) -> String? {
        let host = host(of: authority)
        let port = authority.dropFirst(host.count)
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? host.dropFirst().dropLast() : host
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: isBracketed && byte == UInt8(ascii: ":")
            }
        }
        guard !name.isEmpty, isName else { return nil }
        if port.isEmpty { return host.lowercased() }
        guard let number = UInt16(port.dropFirst()), port.dropFirst().allSatisfy(\.isNumber) else {
            return nil
        }
        return host.lowercased() + (number == (isSecure ? 443 : 80) ? "" : ":\(number)")
    }

    /// The host of an authority, without its port; an address of IPv6 in its brackets.
    static func host(of authority: some StringProtocol) -> Substring {
        let text = Substring(authority)
        guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else {
            return text
        }
        return text[..<colon]
    }
}
