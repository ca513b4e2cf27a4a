/// The compression of a file's bytes. The raw value is its name in HTTP.
enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    case identity
    case gzip
    case brotli = "br"

    /// The suffix of a compressed file's name.
    var fileSuffix: String? {
        switch self {
        case .identity: nil
        case .gzip: ".gz"
        case .brotli: ".br"
        }
    }
}

/// A client's preferences among content codings
/// ([RFC 9110, section 12.5.3](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3)).
struct AcceptEncoding: Sendable {
    /// Names in lower case, weights in thousandths.
    private var weights: [String: Int] = [:]

    /// - Parameter field: The value of `Accept-Encoding`; `nil` when there is none, which means a
    ///   client without codings.
    init(_ field: String?) {
        for element in (field ?? "").split(separator: ",") {
            let parts = element.split(separator: ";").map { Self.trimmed($0).lowercased() }
            guard let name = parts.first, !name.isEmpty else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = Self.weight(parts.dropFirst())
        }
    }

    /// The coding's weight, from 0 (not acceptable) to 1000. The plain bytes are acceptable, and
    /// the last choice, unless the field says otherwise.
    func quality(of coding: ContentCoding) -> Int {
        weights[coding.rawValue] ?? weights["*"] ?? (coding == .identity ? 1 : 0)
    }

    /// The weight in thousandths; 0 for a weight that is not well-formed.
    private static func weight(_ parameters: ArraySlice<String>) -> Int {
        guard let parameter = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1000 }
        let parts = parameter.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, whole == "0" || whole == "1" else {
            return 0
        }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard fraction.count <= 3, fraction.allSatisfy({ ("0"..."9").contains($0) }) else {
            return 0
        }
        let padded = fraction + String(repeating: "0", count: 3 - fraction.count)
        return min(1000, (whole == "1" ? 1000 : 0) + (Int(padded) ?? 0))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
