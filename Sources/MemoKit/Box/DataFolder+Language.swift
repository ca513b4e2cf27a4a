import LibC
public import MemoTexts
import WireCore

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
