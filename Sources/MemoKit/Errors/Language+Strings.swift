public import MemoTexts

extension Language {
    /// The text in this language, with the values in place of `{1}`, `{2}` …
    public func string(_ text: AppText, _ values: String...) -> String {
        Self.string(self.text(text), values)
    }

    /// The text in this language, with the values in place of `{1}`, `{2}` …
    public func string(_ text: CommandText, _ values: String...) -> String {
        Self.string(self.text(text), values)
    }

    /// The text in this language, with the values in place of `{1}`, `{2}` …
    public func string(_ text: HelpText, _ values: String...) -> String {
        Self.string(self.text(text), values)
    }

    /// A terminal shows what it is given in the order in which it is given, more often than not:
    /// values are not isolated by invisible characters, which some would draw.
    private static func string(_ text: StaticString, _ values: [String]) -> String {
        if values.isEmpty { return text.description }
        return String(decoding: text.filled(with: values.map { Array($0.utf8) }), as: UTF8.self)
    }
}
