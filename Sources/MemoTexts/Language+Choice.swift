import WireCore

extension Language {
    /// Finds the language of a BCP 47 tag such as `pt-BR`, or of a POSIX locale such as
    /// `ja_JP.UTF-8`.
    ///
    /// The region does not matter, except that Traditional Chinese (`zh-Hant`, `zh-TW`, `zh-HK`,
    /// `zh-MO`) is not Simplified Chinese.
    ///
    /// - Parameter tag: ASCII, in upper or lower case.
    /// - Returns: `nil` for a language that terminal and web app do not speak, and for `C` and
    ///   `POSIX`.
    /// - Complexity: O(length).
    public init?(tag: some Sequence<UInt8>) {
        var parts: [[UInt8]] = [[]]
        for byte in tag {
            if byte == 0x2E || byte == 0x40 { break }
            if byte == 0x2D || byte == 0x5F {
                parts.append([])
            } else {
                parts[parts.count - 1].append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            }
        }
        for language in Self.allCases where parts[0].isEqual(to: language.primaryTag) {
            if language == .simplifiedChinese, !Self.isSimplified(parts.dropFirst()) { return nil }
            self = language
            return
        }
        return nil
    }

    /// Chooses the first language of a list that terminal and web app speak, else English.
    ///
    /// - Parameter tags: BCP 47 tags, the preferred one first, as a browser lists them.
    public init(preferring tags: some Sequence<[UInt8]>) {
        for tag in tags {
            if let language = Language(tag: tag) {
                self = language
                return
            }
        }
        self = .english
    }

    /// Chooses the language that a POSIX environment asks for, else English.
    ///
    /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set and not empty decides
    /// ([POSIX, section 8.2](https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html)).
    ///
    /// - Parameter variable: Looks up one environment variable.
    public init(environment variable: (StaticString) -> [UInt8]?) {
        self = .english
        for name: StaticString in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            guard let value = variable(name), !value.isEmpty else { continue }
            self = Language(tag: value) ?? .english
            return
        }
    }

    private var primaryTag: StaticString { self == .simplifiedChinese ? "zh" : tag }

    private static func isSimplified(_ subtags: some Sequence<[UInt8]>) -> Bool {
        var isTraditional = false
        for subtag in subtags {
            if subtag.isEqual(to: "hans") { return true }
            for traditional: StaticString in ["hant", "tw", "hk", "mo"] {
                if subtag.isEqual(to: traditional) { isTraditional = true }
            }
        }
        return !isTraditional
    }
}
