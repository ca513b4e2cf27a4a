/// The name under which the public keys of a signer are found in DNS. Each kind of key has a name of
/// its own: the selector for RSA, and the selector with `-ed25519` behind it.
package struct DKIMSelector: Hashable, Sendable {
    private let text: String

    /// - Returns: `nil` for anything but letters, digits and hyphens between them, at most 50.
    package init?(_ text: String) {
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, (1...50).contains(text.utf8.count), !text.hasPrefix("-"),
            !text.hasSuffix("-")
        else { return nil }
        self.text = text
    }

    func name(of kind: DKIMKeys.Kind) -> String {
        switch kind {
        case .rsa: text
        case .ed25519: text + "-ed25519"
        }
    }

    /// The names of the records of both kinds of key, that of RSA first.
    package func recordNames(domain: String) -> [String] {
        [.rsa, .ed25519].map { recordName(of: $0, domain: domain) }
    }

    func recordName(of kind: DKIMKeys.Kind, domain: String) -> String {
        "\(name(of: kind))._domainkey.\(domain)"
    }
}
