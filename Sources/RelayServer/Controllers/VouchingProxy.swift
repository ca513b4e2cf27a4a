import HTTPTypes
import Hummingbird
import RelayRules

/// A proxy with single sign-on, which names the mail address of the person in a header of its own.
///
/// The header counts only on connections from the addresses that the operator has named as proxies: not
/// from this machine in general, and not from whoever `X-Forwarded-For` names. What is not exactly one
/// address counts as no header.
public struct VouchingProxy: Sendable {
    private let header: HTTPField.Name
    private let proxies: ProxyAddresses

    /// - Parameters:
    ///   - header: The name of the header, in any case.
    ///   - proxies: The addresses of the proxies.
    /// - Returns: `nil` for a text that is no name of a header, and where no proxy is named.
    public init?(header: String, from proxies: ProxyAddresses) {
        guard let name = HTTPField.Name(header), proxies.isAnyNamed else { return nil }
        self.header = name
        self.proxies = proxies
    }

    /// The address that the proxy vouches for; `nil` for none.
    ///
    /// - Parameters:
    ///   - fields: The header of the request.
    ///   - peer: The other end of the connection.
    func address(in fields: HTTPFields, peer: String?) -> MailAddress? {
        guard let peer, proxies.names(peer) else { return nil }
        let values = fields[values: header]
        return values.count == 1 ? MailAddress(values[0]) : nil
    }
}
