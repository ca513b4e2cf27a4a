/// The addresses that may become those of new accounts. An account that exists signs devices in,
/// whatever its address is.
public enum SignUp: Hashable, Sendable {
    /// Every address.
    case open
    /// No address.
    case closed
    /// The addresses of these mail domains, which are in lower case. A subdomain is another domain.
    case domains(Set<String>)

    /// Reads a setting.
    ///
    /// - Parameter text: `open`, `closed`, or mail domains in any case, separated by commas, with or
    ///   without spaces around them.
    /// - Returns: `nil` for any other text. A domain has a dot or is `localhost`, so that `close` is
    ///   not taken for one.
    public init?(_ text: String) {
        switch text {
        case "open": self = .open
        case "closed": self = .closed
        default:
            var domains: Set<String> = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let name = part.split(separator: " ", omittingEmptySubsequences: true)
                guard name.count == 1, let domain = MailAddress("a@" + name[0])?.domain,
                    domain.contains(".") || domain == "localhost"
                else { return nil }
                domains.insert(domain)
            }
            self = .domains(domains)
        }
    }

    /// Whether an address may become that of a new account.
    package func admits(_ address: MailAddress) -> Bool {
        switch self {
        case .open: true
        case .closed: false
        case .domains(let domains): domains.contains(address.domain)
        }
    }
}
