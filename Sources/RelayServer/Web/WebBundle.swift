/// The web app: a set of files, read once into memory.
///
/// A request can name only files of the set: its path is looked up and never becomes the name of a
/// file on the disk.
public struct WebBundle: Sendable {
    /// The files by the path of the request, `/` included.
    private let files: [String: WebFile]
    /// The number of bytes in memory, all codings together.
    let size: Int

    /// The limits on the number of files and on their bytes together.
    static let maximumCount = 1000
    static let maximumSize = 32 << 20

    /// - Parameter contents: Files by path, without a leading `/`. `NAME.gz` and `NAME.br` are
    ///   `NAME` compressed, where there is a `NAME`. `index.html` is served as `/` too.
    /// - Throws: ``WebBundleError`` for files that cannot be served.
    init(_ contents: [String: [UInt8]]) throws(WebBundleError) {
        size = contents.values.reduce(0) { $0 + $1.count }
        guard contents.count <= Self.maximumCount, size <= Self.maximumSize else {
            throw .tooLarge
        }
        guard contents.keys.allSatisfy(Self.isUsable) else { throw .unusableName }
        var files: [String: WebFile] = [:]
        for (path, bytes) in contents where !Self.isCoding(path, of: contents) {
            var codings: [ContentCoding: [UInt8]] = [:]
            for coding in ContentCoding.allCases {
                if let suffix = coding.fileSuffix { codings[coding] = contents[path + suffix] }
            }
            files["/" + path] = WebFile(path: path, bytes: bytes, codings: codings)
        }
        guard let index = files["/index.html"] else { throw .noIndex }
        files["/"] = index
        self.files = files
    }

    /// The file at the path of a request.
    func file(at path: String) -> WebFile? {
        files[path]
    }

    private static func isCoding(_ path: String, of contents: [String: [UInt8]]) -> Bool {
        ContentCoding.allCases.contains { coding in
            guard let suffix = coding.fileSuffix, path.hasSuffix(suffix) else { return false }
            return contents[String(path.dropLast(suffix.count))] != nil
        }
    }

    /// Names that mean the same in a URL as on the disk.
    private static func isUsable(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return path.utf8.count <= 255
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".")
                    && part.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"),
                            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }
}

/// The reason why a web app cannot be served or embedded.
public enum WebBundleError: Error, Hashable, Sendable {
    /// The folder, or a file in it, cannot be read.
    case unreadable
    /// There is no `index.html`.
    case noIndex
    /// More than 1000 files, or more than 32 MiB.
    case tooLarge
    /// The name of a file has characters other than ASCII letters, digits, `.`, `-` and `_`.
    case unusableName
    /// The web app in the program's file has changed since it was embedded.
    case damaged
    /// The copy of the program cannot be written.
    case unwritable
}
