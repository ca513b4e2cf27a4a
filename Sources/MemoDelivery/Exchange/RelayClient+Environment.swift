import LibC
public import MemoCourier

extension RelayClient {
    /// A client that also trusts the certificates that the environment, `SSL_CERT_FILE`, names.
    ///
    /// OpenSSL's programs take them so; libcurl alone does not. A relative path counts as none,
    /// because the agent works in another folder than its caller.
    public static var ofEnvironment: RelayClient { RelayClient(authorities: authorities) }

    private static let authorities: String? = {
        let path = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
        return path.hasPrefix("/") ? path : nil
    }()
}
