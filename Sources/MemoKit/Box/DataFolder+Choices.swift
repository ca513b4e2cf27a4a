import LibC
public import MemoTexts
import WireCore

/// What the person has chosen for all programs of this folder. Small files hold it, and not the
/// database: it is no secret, and a program needs it before the first word, also where the database does
/// not open.
extension DataFolder {
    private var languageFile: String { path + "/language" }
    private var coverFile: String { path + "/cover" }
    private static let noCover: StaticString = "none"

    /// The language that the person chose for this device; `nil` for the environment's.
    public var chosenLanguage: Language? {
        choice(in: languageFile).flatMap { Language(tag: $0) }
    }

    /// Sets the language that all programs of this folder speak from their next start on.
    ///
    /// - Parameter language: The language; `nil` for the environment's.
    /// - Throws: ``MemoError``, as ``create()``; the former choice stays.
    public func chooseLanguage(_ language: Language?) throws(MemoError) {
        try choose(language?.tag, in: languageFile)
    }

    /// Whether an app covers the text while it is not in front. It does unless the person has chosen
    /// otherwise.
    public var coversText: Bool {
        choice(in: coverFile).map { !$0.elementsEqual(Self.noCover.bytes) } ?? true
    }

    /// Sets whether an app covers the text while it is not in front.
    ///
    /// - Throws: ``MemoError``, as ``create()``; the former choice stays.
    public func coverText(_ covers: Bool) throws(MemoError) {
        try choose(covers ? nil : Self.noCover, in: coverFile)
    }

    /// The line in a file; `nil` where there is none.
    private func choice(in file: String) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { bytes in
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { return nil }
            return Array(bytes[..<count].prefix { $0 != 0x0A })
        }
    }

    /// Writes the line of a file, whole or not at all.
    ///
    /// - Parameter choice: `nil` removes the file.
    private func choose(_ choice: StaticString?, in file: String) throws(MemoError) {
        guard let choice else {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw MemoError(folder: path, errno: errno)
            }
            return
        }
        try create()
        let temporary = file + ".\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MemoError(folder: path, errno: errno) }
        let line = choice.bytes + [0x0A]
        let isWritten = write(descriptor, line, line.count) == line.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, file) == 0 else {
            let failure = isWritten ? errno : code
            unlink(temporary)
            throw MemoError(folder: path, errno: failure)
        }
    }
}
