import RelayRules

/// A folder of a mailbox on an IMAP server, and the credentials that open the mailbox.
public struct IMAPMailbox: Hashable, Sendable {
    /// The server, with user and password; without them where there is no mailbox for all addresses.
    public var server: MailServer
    /// The folder that gets the mails, as the server names it: `INBOX` is the inbox.
    public private(set) var folder: String

    /// The folder of a server.
    public init(server: MailServer, folder: String = "INBOX") {
        self.server = server
        self.folder = folder
    }

    /// `imap://host[:port][/FOLDER]` or `imaps://host[:port][/FOLDER]`. The folder is percent-encoded
    /// where a URL asks for it; by default the inbox. With `imap` the connection is protected by
    /// STARTTLS, which is required where the host is not this machine.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - credentials: The user's name and password; `nil` for a server on which each address has a
    ///     mailbox of its own. The connection is protected as if there were some.
    /// - Returns: The folder; `nil` for any other text, and for a folder whose name has other
    ///   characters than letters, digits and ` .-_/[]&+` of ASCII, or more than 200.
    public init?(url: String, credentials: MailServer.Credentials?) {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let protected = credentials ?? MailServer.Credentials(user: "", password: "")
        guard
            var server = MailServer(url: String(url[..<end]), .mailbox, credentials: protected),
            let folder = Self.folder(ofPath: rest[end...].dropFirst())
        else { return nil }
        server.credentials = credentials
        self.init(server: server, folder: folder)
    }

    /// The mailbox of one address on the same server.
    func mailbox(of own: OwnMailbox) -> IMAPMailbox {
        var mailbox = self
        mailbox.server.credentials = own.credentials
        if let folder = own.folder { mailbox.folder = folder }
        return mailbox
    }

    /// Whether a folder can have this name.
    public static func isFolder(_ name: String) -> Bool {
        (1...longestFolder).contains(name.utf8.count) && name.utf8.allSatisfy(isOfFolder)
    }

    private static func isOfFolder(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || " /[]&+".utf8.contains(byte)
    }

    private static let longestFolder = 200

    private static func folder(ofPath path: Substring) -> String? {
        guard !path.isEmpty else { return "INBOX" }
        guard let bytes = decoded(path.utf8),
            let name = String(validating: bytes, as: UTF8.self), isFolder(name)
        else { return nil }
        return name
    }

    /// The bytes that a percent-encoded text stands for; `nil` for a text with an incomplete code.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self).lowercased()
            guard let code = bytes(hexadecimal: digits)?.first else { return nil }
            rest = rest.dropFirst(2)
            decoded.append(code)
        }
        return decoded
    }

    /// The folder's URL, as libcurl takes it.
    var url: String {
        let scheme = server.security == .implicit ? "imaps" : "imap"
        let path = folder.utf8.map { byte in
            Self.isUnreserved(byte)
                ? String(UnicodeScalar(byte)) : "%" + hexadecimal([byte]).uppercased()
        }
        return "\(scheme)://\(server.host):\(server.port)/\(path.joined())"
    }

    /// Whether a byte stands for itself in a URL
    /// ([RFC 3986, section 2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3)), a tilde apart.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
