extension Language {
    /// The text in this language, as UTF-8 that lives as long as the program.
    ///
    /// - Complexity: O(1).
    public func text(_ text: AppText) -> StaticString { translation(of: text) }

    /// The text of the terminal in this language.
    ///
    /// - Complexity: O(1).
    public func text(_ text: CommandText) -> StaticString { translation(of: text) }

    /// The text of the terminal's help in this language.
    ///
    /// - Complexity: O(1).
    public func text(_ text: HelpText) -> StaticString { translation(of: text) }

    /// The text of the verification mail in this language.
    ///
    /// - Complexity: O(1).
    public func text(_ text: MailText) -> StaticString { translation(of: text) }

    private func translation(of text: some TranslatedText) -> StaticString {
        switch self {
        case .japanese: text.japanese
        case .english: text.english
        case .spanish: text.spanish
        case .french: text.french
        case .german: text.german
        case .italian: text.italian
        case .portuguese: text.portuguese
        case .korean: text.korean
        case .simplifiedChinese: text.simplifiedChinese
        case .arabic: text.arabic
        }
    }
}

/// A text in every ``Language``.
protocol TranslatedText {
    var japanese: StaticString { get }
    var english: StaticString { get }
    var spanish: StaticString { get }
    var french: StaticString { get }
    var german: StaticString { get }
    var italian: StaticString { get }
    var portuguese: StaticString { get }
    var korean: StaticString { get }
    var simplifiedChinese: StaticString { get }
    var arabic: StaticString { get }
}

extension AppText: TranslatedText {}
extension CommandText: TranslatedText {}
extension HelpText: TranslatedText {}
extension MailText: TranslatedText {}
