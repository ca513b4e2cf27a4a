import RelayAPI

/// Two settings of a relay that cannot both be meant.
public enum Contradiction: Hashable, Sendable, CaseIterable {
    /// Plain HTTP on an address that other machines reach.
    case plainHTTP
    /// Everybody comes through a proxy, but no proxy is trusted: all people are one network.
    case noTrustedProxy
    /// A proxy provides https, but the public URL is an http one.
    case publicURLNotSecure
    /// The public URL is an http one of another machine than this.
    case publicURLInClear
    /// The sender is of this machine, and the mail server is another one.
    case senderOfThisMachine
    /// The metrics and the API have one port.
    case onePort
}

extension RelayConfiguration {
    /// The contradictions of these settings, in the order in which they are declared.
    public var contradictions: [Contradiction] {
        Contradiction.allCases.filter { contradiction in
            switch contradiction {
            case .plainHTTP: !host.isLoopbackHost && !allowsPlainHTTP
            case .noTrustedProxy: isBehindHTTPS && trustedProxies == 0
            case .publicURLNotSecure: isBehindHTTPS && publicURL?.isSecure == false
            case .publicURLInClear:
                publicURL.map { !$0.isSecure && !$0.isOfThisMachine } == true && !allowsPlainHTTP
            case .senderOfThisMachine: from.domain == "localhost" && mailsElsewhere
            case .onePort: port != 0 && metricsPort == port
            }
        }
    }

    private var mailsElsewhere: Bool {
        switch mail {
        case .maildir: false
        case .smtp(let endpoint): !endpoint.host.isLoopbackHost
        case .resend(let endpoint): !endpoint.isOfThisMachine
        }
    }
}
