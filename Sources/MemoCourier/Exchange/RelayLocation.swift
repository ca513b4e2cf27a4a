import Essentials
public import MemoKit
public import MemoTexts
import RelayAPI

/// The URL of a relay, to which a token may be sent.
///
/// `https`, or `http` to this very machine: a token never travels unencrypted (P2).
public struct RelayLocation: Hashable, Sendable {
    /// The base URL as text, without a trailing slash.
    public let text: String

    /// Whether the relay is on this very machine.
    let isLoopback: Bool

    /// - Throws: ``RelayLocationError``. URLs with a user, a query or a fragment are refused too.
    public init(_ text: String) throws(RelayLocationError) {
        // A token is not sent to a URL that two parsers may read differently.
        guard text.utf8.count <= 2048, text.utf8.allSatisfy(Self.isPlain),
            let parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, parts.url != nil
        else { throw .notAURL }
        isLoopback = host.isLoopbackHost
        switch scheme {
        case "https": break
        case "http": guard isLoopback else { throw .unencrypted }
        default: throw .notAURL
        }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }

    /// Letters, digits and what a host, a port and a path need.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~:/[]".utf8.contains(byte)
        }
    }
}

/// The reason for which a text is not a relay's URL.
public enum RelayLocationError: ExplainedError, Hashable, Sendable {
    /// The text is not an `https` or `http` URL of a host.
    case notAURL
    /// The URL is plain `http` to another machine.
    case unencrypted
}

extension RelayLocationError {
    public func sentence(in language: Language) -> String {
        switch self {
        case .notAURL: language.string(.relayNotURL)
        case .unencrypted: language.string(.relayUnencrypted)
        }
    }
}
