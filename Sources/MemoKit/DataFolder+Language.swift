import LibC
public import MemoCore

extension DataFolder {
    /// The language that the person chose for this device; `nil` for the environment's.
    ///
    /// A small file holds the language, and not the database: the language is no secret, and a
    /// program needs it before the first word, also where the database does not open.
    public var chosenLanguage: Language? {
        let descriptor = open(languageFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { bytes in
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { return nil }
            return Language(tag: bytes[..<count].prefix { $0 != 0x0A })
        }
    }

    /// Sets the language that all programs of this folder speak from their next start on.
    ///
    /// - Parameter language: The language; `nil` for the environment's.
    /// - Throws: ``MemoError``, as ``create()``; the former choice stays.
    public func chooseLanguage(_ language: Language?) throws(MemoError) {
        guard let language else {
            guard unlink(languageFile) == 0 || errno == ENOENT else {
                throw MemoError(folder: path, errno: errno)
            }
            return
        }
        try create()
        let temporary = languageFile + ".\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MemoError(folder: path, errno: errno) }
        let line = language.tag.bytes + [0x0A]
        let isWritten = write(descriptor, line, line.count) == line.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, languageFile) == 0 else {
            let failure = isWritten ? errno : code
            unlink(temporary)
            throw MemoError(folder: path, errno: failure)
        }
    }

    private var languageFile: String { path + "/language" }
}

extension Language {
    /// The language in which this process speaks to a person: the one chosen for the data folder,
    /// else the one that the environment asks for. Looked up once.
    public static let ofThisProcess: Language = {
        let folder = try? DataFolder.current()
        return folder?.chosenLanguage ?? ofEnvironment
    }()

    /// The language that this process's environment asks for.
    public static var ofEnvironment: Language {
        Language { name in
            getenv(name.description).map { Array(String(cString: $0).utf8) }
        }
    }
}

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
