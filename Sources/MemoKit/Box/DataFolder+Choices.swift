import LibC
public import MemoTexts
import WireCore

/// What the person has chosen for all programs of this folder. Small files hold it, and not the
/// database: it is no secret, and a program needs it before the first word, also where the database does
/// not open.
///
/// A program that changes one has the lock of the folder meanwhile, so that each of two at once has seen what
/// the other one has chosen.
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

    /// Sets the language in place of this one, and does nothing if a person has chosen another one meanwhile.
    ///
    /// - Returns: Whether the language was set.
    package func chooseLanguage(
        _ language: Language?,
        replacing former: Language?
    ) throws(MemoError) -> Bool {
        try choose(language?.tag, in: languageFile) { chosenLanguage == former }
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

    /// Sets whether an app covers the text, and does nothing if a person has chosen meanwhile.
    ///
    /// - Parameter former: The former choice.
    /// - Returns: Whether the choice was set.
    package func coverText(_ covers: Bool, replacing former: Bool) throws(MemoError) -> Bool {
        try choose(covers ? nil : Self.noCover, in: coverFile) { coversText == former }
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
    /// - Parameters:
    ///   - choice: `nil` removes the file.
    ///   - isWanted: Decides, while no other program changes a choice.
    /// - Returns: Whether it was wanted.
    @discardableResult
    private func choose(
        _ choice: StaticString?,
        in file: String,
        if isWanted: () -> Bool = { true }
    ) throws(MemoError) -> Bool {
        if choice == nil, self.choice(in: file) == nil { return isWanted() }
        try create()
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw MemoError(folder: path, errno: errno) }
        defer {
            // Not by closing alone: a process that another thread is starting has the folder open, too.
            flock(folder, LOCK_UN)
            close(folder)
        }
        while flock(folder, LOCK_EX) != 0 {
            guard errno == EINTR else { throw MemoError(folder: path, errno: errno) }
        }
        guard isWanted() else { return false }
        if let choice {
            try write(choice, to: file)
        } else {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw MemoError(folder: path, errno: errno)
            }
        }
        return true
    }

    private func write(_ choice: StaticString, to file: String) throws(MemoError) {
        let temporary = file + ".\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MemoError(folder: path, errno: errno) }
        let line = choice.bytes + [0x0A]
        let isWritten =
            LibC.write(descriptor, line, line.count) == line.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, file) == 0 else {
            let failure = isWritten ? errno : code
            unlink(temporary)
            throw MemoError(folder: path, errno: failure)
        }
    }
}
