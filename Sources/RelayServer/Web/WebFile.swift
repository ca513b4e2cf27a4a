import Crypto
import NIOCore

/// One file of the web app, in every content coding that it is kept in.
struct WebFile: Sendable {
    /// The file's bytes under one coding.
    struct Representation: Sendable {
        let coding: ContentCoding
        let bytes: ByteBuffer
        /// A strong entity tag, quotes included: another for every coding, as RFC 9110,
        /// section 8.8.3.3, asks.
        let entityTag: String
    }

    let mediaType: String
    /// Whether the name is bound to the bytes, so that they can be kept for ever.
    let isImmutable: Bool
    /// The shortest first. The one without coding is always there.
    let representations: [Representation]

    /// - Parameters:
    ///   - path: The file's path, which tells its type.
    ///   - codings: The same bytes, compressed. Those that save nothing are left out.
    init(path: String, bytes: [UInt8], codings: [ContentCoding: [UInt8]] = [:]) {
        let digest = hexadecimal(SHA256.hash(data: bytes))
        mediaType = Self.mediaType(of: path)
        isImmutable = Self.name(of: path, carries: digest)
        var all = codings.filter { $0.value.count < bytes.count }
        all[.identity] = bytes
        representations = all.sorted { $0.value.count < $1.value.count }.map { coding, bytes in
            let suffix = coding == .identity ? "" : "-\(coding.rawValue)"
            return Representation(
                coding: coding,
                bytes: ByteBuffer(bytes: bytes),
                entityTag: "\"\(digest.prefix(32))\(suffix)\""
            )
        }
    }

    /// The representation that a client likes best; of those that it likes alike, the shortest.
    ///
    /// A client that accepts none of them gets the plain one: it may know better than it says
    /// ([RFC 9110, section 12.5.3](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3)).
    func representation(for accepted: AcceptEncoding) -> Representation? {
        var best: (representation: Representation, quality: Int)?
        for representation in representations {
            let quality = accepted.quality(of: representation.coding)
            if quality > best?.quality ?? 0 { best = (representation, quality) }
        }
        return best?.representation ?? representations.first { $0.coding == .identity }
    }

    /// Whether a part of the name between dots is the beginning of the content's SHA-256: then
    /// other bytes cannot come under this name, and nobody need be believed about it.
    private static func name(of path: String, carries digest: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return name.split(separator: ".").contains { $0.count >= 8 && digest.hasPrefix($0) }
    }

    private static func mediaType(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        let end = name.lastIndex(of: ".").map { name[$0...].dropFirst() } ?? ""
        return switch end {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "txt": "text/plain; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "wasm": "application/wasm"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "webp": "image/webp"
        case "woff2": "font/woff2"
        default: "application/octet-stream"
        }
    }
}
