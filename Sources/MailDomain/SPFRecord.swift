/// An SPF record ([RFC 7208](https://www.rfc-editor.org/rfc/rfc7208)).
struct SPFRecord: Hashable {
    enum Qualifier: UInt8, Hashable {
        case pass = 0x2B
        case fail = 0x2D
        case softFail = 0x7E
        case neutral = 0x3F
    }

    enum Mechanism: Hashable {
        case all
        case include(String)
        /// `domain`: `nil` for the record's own domain.
        case addresses(domain: String?, Lengths)
        case exchangers(domain: String?, Lengths)
        case pointers(domain: String?)
        case network(IPAddress, length: Int)
        case exists(String)

        /// Whether the mechanism counts for the limit of look-ups
        /// ([section 4.6.4](https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4)).
        var isLookUp: Bool {
            switch self {
            case .all, .network: false
            case .include, .addresses, .exchangers, .pointers, .exists: true
            }
        }
    }

    /// The lengths of the networks of a host's addresses, in bits.
    struct Lengths: Hashable {
        var ipv4 = 32
        var ipv6 = 128

        func length(for address: IPAddress) -> Int { address.version == 4 ? ipv4 : ipv6 }
    }

    struct Directive: Hashable {
        let qualifier: Qualifier
        let mechanism: Mechanism
    }

    private(set) var directives: [Directive] = []
    private(set) var redirect: String?

    /// Whether a text is an SPF record, maybe a wrong one.
    static func isSPF(_ text: [UInt8]) -> Bool {
        let version = Array("v=spf1".utf8)
        return lowercased(text).starts(with: version)
            && (text.count == version.count || text[version.count] == 0x20)
    }

    /// Reads a record.
    ///
    /// - Throws: ``SPFMistake``, the first one.
    init(_ text: [UInt8]) throws(SPFMistake) {
        for term in text.split(separator: 0x20).dropFirst() {
            guard term.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .syntax }
            try read(String(decoding: term, as: UTF8.self))
        }
    }

    private mutating func read(_ term: String) throws(SPFMistake) {
        let end = term.firstIndex { ":=/".contains($0) } ?? term.endIndex
        let rest = term[end...]
        if rest.hasPrefix("=") { return try readModifier(term[..<end], rest.dropFirst()) }
        var name = term[..<end].lowercased()
        let qualifier = name.utf8.first.flatMap(Qualifier.init)
        if qualifier != nil { name.removeFirst() }
        let mechanism = try Self.mechanism(name, String(rest))
        directives.append(Directive(qualifier: qualifier ?? .pass, mechanism: mechanism))
    }

    /// A modifier that is not known is passed over
    /// ([section 6](https://www.rfc-editor.org/rfc/rfc7208#section-6)).
    private mutating func readModifier(
        _ name: Substring,
        _ value: Substring
    ) throws(SPFMistake) {
        guard let first = name.utf8.first, Self.isLetter(first) else { throw .syntax }
        guard name.lowercased() == "redirect" else { return }
        guard redirect == nil, !value.isEmpty else { throw .syntax }
        redirect = try Self.domain(String(value))
    }

    private static func mechanism(
        _ name: String,
        _ rest: String
    ) throws(SPFMistake) -> Mechanism {
        switch name {
        case "all":
            guard rest.isEmpty else { throw .syntax }
            return .all
        case "include": return .include(try required(rest))
        case "exists": return .exists(try required(rest))
        case "ptr": return .pointers(domain: try optional(rest))
        case "a", "mx":
            let (domain, lengths) = try hosts(rest)
            return name == "a"
                ? .addresses(domain: domain, lengths) : .exchangers(domain: domain, lengths)
        case "ip4", "ip6": return try network(rest, version: name == "ip4" ? 4 : 6)
        default: throw .unknownMechanism
        }
    }

    private static func required(_ rest: String) throws(SPFMistake) -> String {
        guard let domain = try optional(rest) else { throw .syntax }
        return domain
    }

    private static func optional(_ rest: String) throws(SPFMistake) -> String? {
        guard !rest.isEmpty else { return nil }
        guard rest.hasPrefix(":"), rest.utf8.count > 1 else { throw .syntax }
        return try domain(String(rest.dropFirst()))
    }

    /// `:domain/24//64`, each part optional.
    private static func hosts(
        _ rest: String
    ) throws(SPFMistake) -> (domain: String?, Lengths) {
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let domain = try optional(String(rest[..<slash]))
        var lengths = Lengths()
        var suffix = rest[slash...]
        if let six = suffix.firstRange(of: "//") {
            lengths.ipv6 = try length(suffix[six.upperBound...], atMost: 128)
            suffix = suffix[..<six.lowerBound]
        }
        if !suffix.isEmpty { lengths.ipv4 = try length(suffix.dropFirst(), atMost: 32) }
        return (domain, lengths)
    }

    private static func network(
        _ rest: String,
        version: Int
    ) throws(SPFMistake) -> Mechanism {
        guard rest.hasPrefix(":") else { throw .syntax }
        let parts = rest.dropFirst().split(
            separator: "/",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let bits = version == 4 ? 32 : 128
        guard let text = parts.first, let address = IPAddress(String(text)),
            text.contains(":") == (version == 6)
        else { throw .syntax }
        let length = parts.count > 1 ? try length(parts[1], atMost: bits) : bits
        guard address.version == version else { throw .syntax }
        return .network(address, length: length)
    }

    private static func length(
        _ text: Substring,
        atMost most: Int
    ) throws(SPFMistake) -> Int {
        guard (1...3).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || !text.hasPrefix("0"), let number = Int(text), number <= most
        else { throw .syntax }
        return number
    }

    private static func domain(_ text: String) throws(SPFMistake) -> String {
        guard !text.contains("%") else { throw .macro }
        guard let name = DomainName.normal(text) else { throw .syntax }
        return name
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}

/// A mistake in an SPF record, for which receivers take the domain for one without a record
/// (`permerror`).
enum SPFMistake: Error, Hashable {
    /// A term is none that SPF knows the form of.
    case syntax
    /// A mechanism has a name that SPF does not know.
    case unknownMechanism
    /// A macro, which depends on the mail. No mistake: it is not evaluated here.
    case macro
}

/// Names of domains, in one spelling.
package enum DomainName {
    /// The name in lower case and without a dot at its end.
    ///
    /// - Returns: `nil` for a name that DNS cannot hold, or with a character that no name of a host or
    ///   of a record has.
    package static func normal(_ text: String) -> String? {
        var name = text.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        let labels = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x61...0x7A, 0x2D, 0x5F: true
                    default: false
                    }
                }
        }
        return isName && name.utf8.count <= 253 ? name : nil
    }
}
