import Crypto
import Essentials

/// Signs mails for the sender's domain (DKIM, [RFC 6376](https://www.rfc-editor.org/rfc/rfc6376)):
/// with RSA, which every receiver knows, and with Ed25519
/// ([RFC 8463](https://www.rfc-editor.org/rfc/rfc8463)), with each key that there is.
///
/// Header and body are signed in the canonical form `relaxed/relaxed`, which survives what mail
/// servers do to white space. A field that a mail has once is named twice among the signed ones, and
/// a field that it lacks once, so that nobody can add another one. A signature tells no time: receivers
/// refuse one of the future, and the relay's clock may be ahead.
package struct DKIMSigner: Sendable {
    private let keys: DKIMKeys
    private let domain: String
    private let selector: DKIMSelector

    /// A signer for mails whose `From` is of a domain.
    package init(keys: DKIMKeys, domain: String, selector: DKIMSelector) {
        self.keys = keys
        self.domain = domain
        self.selector = selector
    }

    /// The fields that are signed, in the order in which a signature names them.
    static let signedFields = [
        "from", "to", "reply-to", "date", "message-id", "subject", "mime-version", "content-type",
        "content-transfer-encoding", "auto-submitted",
    ]

    /// The signatures of a mail as header fields, which belong before its own.
    ///
    /// - Parameters:
    ///   - header: The header fields, each ended by CR LF.
    ///   - body: The body, its lines ended by CR LF.
    /// - Complexity: O(size), and the signatures: some 0.6 ms for RSA with 2048 bits.
    func fields(header: String, body: [UInt8]) -> String {
        let fields = Self.fields(of: header)
        let bodyHash = Self.base64(SHA256.hash(data: Self.canonicalBody(body)))
        var signedData: [UInt8] = []
        var names: [String] = []
        for name in Self.signedFields {
            for field in fields where field.name == name {
                signedData += Array("\(name):\(field.value)\r\n".utf8)
                names.append(name)
            }
            names.append(name)
        }
        return keys.signers.compactMap { signer in
            var lines = "DKIM-Signature: v=1; a=\(signer.algorithm); c=relaxed/relaxed;\r\n"
            lines += "\td=\(domain);\r\n"
            lines += "\ts=\(selector.name(of: signer.kind));\r\n"
            lines += "\th=" + Self.folded(names.map { $0 + ":" }) + ";\r\n"
            lines += "\tbh=\(bodyHash);\r\n"
            lines += "\tb="
            let canonical = Self.fields(of: lines + "\r\n").map { "dkim-signature:\($0.value)" }
            let data = signedData + Array(canonical.joined().utf8)
            return signer.sign(data).map {
                lines + Self.folded(Self.base64($0).chunks(of: 70)) + "\r\n"
            }
        }.joined()
    }

    /// The parts on lines that begin with a tab, without a colon at the end.
    private static func folded(_ parts: [String]) -> String {
        var lines = [""]
        for part in parts {
            if lines[lines.count - 1].utf8.count + part.utf8.count > 72 { lines.append("") }
            lines[lines.count - 1] += part
        }
        let text = lines.joined(separator: "\r\n\t")
        return text.hasSuffix(":") ? String(text.dropLast()) : text
    }

    private static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }

    /// The canonical fields of a header: names in lower case, values on one line
    /// ([RFC 6376, section 3.4.2](https://www.rfc-editor.org/rfc/rfc6376#section-3.4.2)).
    private static func fields(of header: String) -> [(name: String, value: String)] {
        let unfolded = header.replacing("\r\n\t", with: "\t").replacing("\r\n ", with: " ")
        return unfolded.split(separator: "\r\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let words = line[line.index(after: colon)...].split { $0 == " " || $0 == "\t" }
            return (line[..<colon].lowercased(), words.joined(separator: " "))
        }
    }

    /// The canonical body
    /// ([RFC 6376, section 3.4.4](https://www.rfc-editor.org/rfc/rfc6376#section-3.4.4)): white space
    /// within a line counts as one space, none counts at its end, and no empty lines at the end.
    private static func canonicalBody(_ body: [UInt8]) -> [UInt8] {
        var canonical: [UInt8] = []
        canonical.reserveCapacity(body.count)
        var length = 0
        var hasSpace = false
        for byte in body {
            switch byte {
            case 0x20, 0x09: hasSpace = true
            case 0x0D: break
            case 0x0A:
                canonical += [0x0D, 0x0A]
                hasSpace = false
            default:
                if hasSpace { canonical.append(0x20) }
                hasSpace = false
                canonical.append(byte)
                length = canonical.count
            }
        }
        guard length > 0 else { return [] }
        return canonical[..<length] + [0x0D, 0x0A]
    }
}

extension String {
    /// The text in pieces of `count` ASCII characters; the last one may be shorter.
    func chunks(of count: Int) -> [String] {
        let bytes = Array(utf8)
        return stride(from: 0, to: bytes.count, by: count).map {
            String(decoding: bytes[$0..<Swift.min($0 + count, bytes.count)], as: UTF8.self)
        }
    }
}
