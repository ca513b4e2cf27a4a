/// A language that all faces speak.
public enum Language: UInt8, CaseIterable, Hashable, Sendable {
    case japanese
    case english
    case spanish
    case french
    case german
    case italian
    case portuguese
    case korean
    case simplifiedChinese
    case arabic

    /// The BCP 47 tag, such as `ja` or `zh-Hans`.
    public var tag: StaticString {
        switch self {
        case .japanese: "ja"
        case .english: "en"
        case .spanish: "es"
        case .french: "fr"
        case .german: "de"
        case .italian: "it"
        case .portuguese: "pt"
        case .korean: "ko"
        case .simplifiedChinese: "zh-Hans"
        case .arabic: "ar"
        }
    }

    /// The language's name in the language itself, for a list of languages.
    public var ownName: StaticString {
        switch self {
        case .japanese: "日本語"
        case .english: "English"
        case .spanish: "Español"
        case .french: "Français"
        case .german: "Deutsch"
        case .italian: "Italiano"
        case .portuguese: "Português"
        case .korean: "한국어"
        case .simplifiedChinese: "简体中文"
        case .arabic: "العربية"
        }
    }

    /// Whether the language is written from right to left: `dir="rtl"`.
    public var isRightToLeft: Bool { self == .arabic }
}
