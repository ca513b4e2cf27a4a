import Foundation

/// Writes the sources as each system sees them, and a table of their conditions.
///
///     AppleChecker ROOT OUTPUT FOLDER …
///
/// Reads the Swift files in the folders, whose paths are relative to `ROOT`. Writes
/// `OUTPUT/SYSTEM/PATH` for each Apple system and file, and leaves a file alone whose content is
/// right. Prints a line for each branch of an `#if`: its file, its line, "if" or "else" (a further
/// branch), the directive, and 1 or 0 for each system of `System.all`.
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
        var activity: [[Bool]] = []
        for system in System.all {
            let side = try file.side(of: system)
            activity.append(side.isActive)
            guard [System.macOS.name, System.iOS.name].contains(system.name) else { continue }
            let url = output.appendingPathComponent(system.name).appendingPathComponent(file.path)
            // The module that has no C library of Linux in it.
            let text = String(decoding: side.bytes, as: UTF8.self)
                .replacingOccurrences(of: "import Foundation\n", with: "import FoundationStandIn\n")
            let data = Data(text.utf8)
            guard (try? Data(contentsOf: url)) != data else { continue }
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url, options: .atomic)
        }
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
