import Foundation

/// Writes the sources as each system sees them, and a table of their conditions.
///
///     AppleChecker ROOT OUTPUT FOLDER …
///
/// Reads the Swift files in the folders, whose paths are relative to `ROOT`. Writes
/// `OUTPUT/SYSTEM/PATH` for each system of `System.written` and file, and leaves a file alone whose
/// content is right. Prints a line for each branch of an `#if`: its file, its line, "if" or "else" (a
/// further branch), the directive, and 1 or 0 for each system of `System.all`.
@main
enum AppleChecker {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count > 2, let root = arguments.first else {
            fail("usage: AppleChecker ROOT OUTPUT FOLDER …")
        }
        let output = URL(fileURLWithPath: arguments[2])
        do {
            for folder in arguments.dropFirst(2) {
                for path in try swiftFiles(in: folder, of: URL(fileURLWithPath: root)) {
                    let url = URL(fileURLWithPath: root).appendingPathComponent(path)
                    let file = SourceFile(path: path, bytes: Array(try Data(contentsOf: url)))
                    try write(file, into: output)
                }
            }
        } catch {
            fail("\(error)")
        }
    }

    private static func write(_ file: SourceFile, into output: URL) throws {
        for system in System.written {
            let url = output.appendingPathComponent(system.name).appendingPathComponent(file.path)
            var text = String(decoding: try file.side(of: system).bytes, as: UTF8.self)
            if system.hasDarwin {
                // The module that has no C library of Linux in it.
                text = text.replacingOccurrences(
                    of: "import Foundation\n",
                    with: "import FoundationStandIn\n"
                )
            }
            let data = Data(text.utf8)
            guard (try? Data(contentsOf: url)) != data else { continue }
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url, options: .atomic)
        }
        let activity = try System.all.map { try file.side(of: $0).isActive }
        for (index, branch) in file.branches.enumerated() {
            let states = activity.map { $0[index] ? "1" : "0" }
            let fields = [file.path, "\(branch.line)", branch.isFirst ? "if" : "else", branch.text]
            print((fields + states).joined(separator: "\t"))
        }
    }

    /// The paths of the Swift files in a folder, relative to `root` and sorted.
    private static func swiftFiles(in folder: String, of root: URL) throws -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        guard let found else { throw Unanswered(text: "no folder \(folder)") }
        return found.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { "\(folder)/\($0)" }.sorted()
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("error: \(text)\n".utf8))
        exit(1)
    }
}
