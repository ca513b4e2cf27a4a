/// A question to a resolver.
package enum DNSQuestion: Hashable, Sendable {
    /// The TXT records of a name.
    case texts(String)
    /// The MX records of a domain.
    case exchangers(String)
    /// The A records of a name.
    case ipv4(String)
    /// The AAAA records of a name.
    case ipv6(String)
    /// The PTR records of an address.
    case names(IPAddress)

    /// The questions for the addresses of a name.
    package static func addresses(of name: String) -> [DNSQuestion] { [.ipv4(name), .ipv6(name)] }
}

/// The answer to a ``DNSQuestion``, of the question's type, or none.
package enum DNSAnswer: Hashable, Sendable {
    /// Each record's strings, joined.
    case texts([[UInt8]])
    case exchangers([MailExchanger])
    case addresses([IPAddress])
    case names([String])
    /// There is no such record, or no such name.
    case nothing
    /// Nobody knows: the question had no answer that can be used.
    case failed(DNSFailure)
}

/// A host that takes a domain's mails.
package struct MailExchanger: Hashable, Sendable {
    package let preference: Int
    /// The host's name; empty where the domain takes no mail
    /// ([RFC 7505](https://www.rfc-editor.org/rfc/rfc7505)).
    package let host: String

    package init(preference: Int, host: String) {
        self.preference = preference
        self.host = host
    }
}

/// The reason for which a question had no answer.
package enum DNSFailure: String, Hashable, Sendable {
    /// No answer came in time.
    case timeout
    /// The resolver, or a server behind it, failed (`SERVFAIL`).
    case server
    /// The resolver refuses the question, or does not understand it.
    case refused
    /// No resolver can be reached.
    case unreachable
    /// The answer is damaged.
    case unreadable
    /// The answer has more records, or longer ones, than are looked at.
    case tooLarge
    /// The name cannot be asked for.
    case badName
    /// More questions would be needed than are asked.
    case tooMany
}
