import RelayAPI
import RelayRules

/// Two settings of a relay that cannot both be meant.
public enum Contradiction: Hashable, Sendable, CaseIterable {
    /// Plain HTTP on an address that other machines reach.
    case plainHTTP
    /// Everybody comes through a proxy, but no proxy is trusted: all people are one network.
    case noTrustedProxy
    /// The public URL is an https one, which only a proxy can provide, but no proxy is trusted.
    case noTrustedProxyAtPublicURL
    /// A proxy provides https, but the public URL is an http one.
    case publicURLNotSecure
    /// The public URL is an http one of another machine than this.
    case publicURLInClear
    /// The sender is of this machine, and the mail server is another one.
    case senderOfThisMachine
    /// The metrics and the API have one port.
    case onePort
    /// A password for a mail server on another machine may travel in clear.
    case passwordInClear
    /// The reserve is more than the disk of the data folder holds.
    case reserveBeyondDisk
}

extension RelayConfiguration {
    /// The contradictions of these settings, in the order in which they are declared.
    public var contradictions: [Contradiction] {
        Contradiction.allCases.filter { contradiction in
            switch contradiction {
            case .plainHTTP: !host.isLoopbackHost && !allowsPlainHTTP
            case .noTrustedProxy: isBehindHTTPS && trustedProxies == 0
            case .noTrustedProxyAtPublicURL:
                !isBehindHTTPS && publicURL?.isSecure == true && trustedProxies == 0
            case .publicURLNotSecure: isBehindHTTPS && publicURL?.isSecure == false
            case .publicURLInClear:
                publicURL.map { !$0.isSecure && !$0.isOfThisMachine } == true && !allowsPlainHTTP
            case .senderOfThisMachine: from.domain == "localhost" && mailsElsewhere
            case .onePort: port != 0 && metricsPort == port
            case .passwordInClear: mailsPasswordInClear
            case .reserveBeyondDisk: diskReserve > Self.usualReserve && diskReserve > diskSize
            }
        }
    }

    /// The sentences that an operator reads when the relay starts with settings that it keeps, but
    /// that are hardly meant.
    public var warnings: [String] {
        [isReachedFromElsewhere ? memoLimits.warning : nil, mailboxWarning].compactMap { $0 }
    }

    private var mailboxWarning: String? {
        guard case .imap(let mailbox) = mail, mailbox.server.credentials == nil else { return nil }
        return "no mailbox for all addresses is set (MEMO_RELAY_IMAP_USER and "
            + "MEMO_RELAY_IMAP_PASSWORD, or imap-user and imap-password): mails to an address that "
            + "\"memo-relay mailbox add\" has given none wait"
    }

    /// Whether other people than the one at this machine can come.
    private var isReachedFromElsewhere: Bool {
        !host.isLoopbackHost || trustedProxies > 0 || isBehindHTTPS
            || publicURL.map { !$0.isOfThisMachine } == true
    }

    private var mailsPasswordInClear: Bool {
        guard case .smtp(let endpoint) = mail else { return false }
        return endpoint.credentials != nil && endpoint.security == .opportunistic
            && !endpoint.host.isLoopbackHost
    }

    /// The size of the disk that holds the data folder, or will hold it; in bytes. A database elsewhere has
    /// no bound that is known here.
    private var diskSize: Int64 {
        guard var folder = store.folder else { return .max }
        while true {
            if let space = space(folder) { return space.total }
            guard let slash = folder.lastIndex(of: "/") else { return space(".")?.total ?? .max }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
            if folder == "/" { return space(folder)?.total ?? .max }
        }
    }

    private var mailsElsewhere: Bool {
        switch mail {
        case .maildir, .imap: false
        case .smtp(let endpoint): !endpoint.host.isLoopbackHost
        case .resend(let endpoint): !endpoint.isOfThisMachine
        }
    }
}
