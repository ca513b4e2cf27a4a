import DurableFiles
import Essentials
import LibC
public import Logging

extension WebBundle {
    /// The web app that ``embed(folder:in:output:)`` put into a program; `nil` when there is none.
    ///
    /// A program whose own file cannot be read, as without `/proc`, counts as a program without a
    /// web app: the relay still serves its API.
    ///
    /// - Parameters:
    ///   - program: The path of the program's file.
    ///   - logger: Logs that the file cannot be read.
    /// - Throws: ``WebBundleError/damaged``, or another error for a web app that cannot be served.
    /// - Complexity: O(size of the web app), however long the program is.
    public static func embedded(
        in program: String = runningProgram,
        logger: Logger
    ) throws(WebBundleError) -> WebBundle? {
        let file: Data
        do {
            file = try mapped(program)
        } catch {
            logger.warning("this program cannot read its own file, so it holds no web app")
            return nil
        }
        let foot = Array(file.suffix(WebTrailer.footLength))
        guard let entries = try entries(of: file, foot: foot) else { return nil }
        return try WebBundle(WebTrailer.decode(entries: Array(entries), foot: foot))
    }

    /// Writes a copy of a program with the web app of a folder, which replaces the program's own. A
    /// running `output` keeps its file.
    ///
    /// - Parameters:
    ///   - folder: The folder of the web app.
    ///   - program: The path of the program's file.
    ///   - output: The path of the copy.
    /// - Throws: ``WebBundleError``. `output` is then as before, and no other file is left.
    /// - Complexity: O(size of the program).
    public static func embed(
        folder: String,
        in program: String = runningProgram,
        output: String
    ) throws(WebBundleError) {
        let contents = try contents(of: folder)
        _ = try WebBundle(contents)
        let file = try mapped(program)
        let foot = Array(file.suffix(WebTrailer.footLength))
        let end = try entries(of: file, foot: foot)?.startIndex ?? file.endIndex
        try write(file[..<end] + WebTrailer.encode(contents), asProgram: output)
    }

    /// The path of the running program's file.
    public static var runningProgram: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    /// Writes a program in one step, durable on return: a new file beside it, under an
    /// unpredictable name, renamed.
    private static func write(_ bytes: Data, asProgram path: String) throws(WebBundleError) {
        var temporary = Array((path + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&temporary)
        guard descriptor >= 0 else { throw .unwritable }
        var isWritten = bytes.withUnsafeBytes { writeFully($0, to: descriptor) }
        isWritten = isWritten && fchmod(descriptor, 0o755) == 0 && fsync(descriptor) == 0
        isWritten = close(descriptor) == 0 && isWritten
        guard isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            throw .unwritable
        }
        guard syncFolder(of: path) else { throw .unwritable }
    }

    private static func mapped(_ program: String) throws(WebBundleError) -> Data {
        do {
            return try Data(
                contentsOf: URL(fileURLWithPath: program),
                options: .alwaysMapped
            )
        } catch {
            throw .unreadable
        }
    }

    /// The entries in a program's file; `nil` when it has none.
    private static func entries(
        of program: Data,
        foot: [UInt8]
    ) throws(WebBundleError) -> Data? {
        guard let length = try WebTrailer.entriesLength(foot: foot) else { return nil }
        guard length + foot.count <= program.count else { throw .damaged }
        return program.dropLast(foot.count).suffix(length)
    }
}
