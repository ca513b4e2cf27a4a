import Crypto
import Essentials
import NIOCore
import RelayRules

/// One file of the web app, in one or more content codings.
struct WebFile: Sendable {
    /// The file's bytes under one coding.
    struct Representation: Sendable {
        let coding: ContentCoding
        let bytes: ByteBuffer
        /// A strong entity tag, quotes included; a different tag for every coding, as RFC 9110,
        /// section 8.8.3.3, requires.
        let entityTag: String
    }

    let mediaType: String
    /// Whether the name is bound to the bytes, so that caches can keep the file for ever.
    let isImmutable: Bool
    /// The content security policy of a page that holds styles itself; `nil` for other files, which
    /// have that of every answer.
    let contentSecurityPolicy: String?
    /// The file's representations, the shortest first. The one without coding is always among them.
    let representations: [Representation]

    /// - Parameters:
    ///   - path: The file's path, which tells its type.
    ///   - bytes: The file's bytes.
    ///   - codings: The same bytes, compressed. A coding that saves nothing is left out.
    init(path: String, bytes: [UInt8], codings: [ContentCoding: [UInt8]] = [:]) {
        let digest = hexadecimal(SHA256.hash(data: bytes))
        mediaType = Self.mediaType(of: path)
        isImmutable = Self.name(of: path, carries: digest)
        let styles = mediaType.hasPrefix("text/html") ? Self.styleHashes(in: bytes) : []
        contentSecurityPolicy =
            styles.isEmpty ? nil : WebHeaders.contentSecurityPolicy(styles: styles)
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

    /// The representation that a client prefers; of equally preferred ones the shortest.
    ///
    /// A client that accepts no representation gets the plain bytes, which it may be able to read
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
    /// no other bytes can have this name.
    private static func name(of path: String, carries digest: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return name.split(separator: ".").contains { $0.count >= 8 && digest.hasPrefix($0) }
    }

    /// The hash sources of the elements that begin with exactly `<style>`, as the web app's build
    /// writes them, in lines that end with a line feed alone. A browser hashes the same bytes.
    ///
    /// - Complexity: O(`page.count`).
    private static func styleHashes(in page: [UInt8]) -> [String] {
        var hashes: [String] = []
        var rest = page[...]
        while let begin = rest.firstRange(of: Array("<style>".utf8)) {
            rest = rest[begin.upperBound...]
            guard let end = rest.firstRange(of: Array("</style>".utf8)) else { break }
            let digest = SHA256.hash(data: rest[..<end.lowerBound])
            hashes.append("'sha256-\(Data(digest).base64EncodedString())'")
            rest = rest[end.upperBound...]
        }
        return hashes
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
