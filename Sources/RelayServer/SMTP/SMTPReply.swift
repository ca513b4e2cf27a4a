/// A server's reply to a command.
///
/// No line is kept: a line may hold an address.
struct SMTPReply: Hashable, Sendable {
    /// The code of the last line, from 200 to 599.
    let code: Int
    /// The enhanced status code of the last line; `nil` where the server sends none.
    let enhancedCode: EnhancedCode?
    /// The extensions that the lines behind the first one name; none, unless the reply answers `EHLO`.
    let extensions: SMTPExtensions
}

/// The extensions in a server's answer to `EHLO`, as far as a mail of the relay needs them.
///
/// A mail of the relay is in ASCII, and so are its addresses: neither `8BITMIME` nor `SMTPUTF8` would
/// change anything.
struct SMTPExtensions: Hashable, Sendable {
    /// A way to say user and password.
    enum Mechanism: Hashable, Sendable {
        /// [RFC 4616](https://www.rfc-editor.org/rfc/rfc4616).
        case plain
        /// Never standardised, and the only one of some servers.
        case login
    }

    /// Commands may be sent before the replies to earlier ones have come
    /// ([RFC 2920](https://www.rfc-editor.org/rfc/rfc2920)).
    private(set) var isPipelining = false
    /// The server can change to TLS ([RFC 3207](https://www.rfc-editor.org/rfc/rfc3207)).
    private(set) var hasStartTLS = false
    /// The server takes user and password, by any mechanism
    /// ([RFC 4954](https://www.rfc-editor.org/rfc/rfc4954)).
    private(set) var hasAuthentication = false
    /// The mechanism to use; `nil` where the server has none that this side speaks.
    private(set) var mechanism: Mechanism?
    /// The size of the longest message that the server takes, in bytes
    /// ([RFC 1870](https://www.rfc-editor.org/rfc/rfc1870)); `nil` where it does not say.
    private(set) var longestMessage: Int?

    /// Notes a line of the answer, without its code.
    ///
    /// - Parameter line: A keyword, and parameters behind it; letters of both cases are equal.
    mutating func note(_ line: some Sequence<UInt8>) {
        let words = String(decoding: Array(line), as: UTF8.self).uppercased()
            .split(separator: " ")
        guard let keyword = words.first else { return }
        switch keyword {
        case "PIPELINING": isPipelining = true
        case "STARTTLS": hasStartTLS = true
        case "AUTH":
            hasAuthentication = true
            if words.contains("PLAIN") {
                mechanism = .plain
            } else if words.contains("LOGIN"), mechanism == nil {
                mechanism = .login
            }
        case "SIZE":
            longestMessage = words.dropFirst().first.flatMap { Int($0) }.flatMap {
                $0 > 0 ? $0 : nil
            }
        default: break
        }
    }
}
