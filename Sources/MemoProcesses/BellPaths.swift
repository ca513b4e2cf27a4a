import LibC
public import MemoKit

/// The paths of the named pipe by which a sender calls the agent of one data folder: the folder
/// itself, else the person's runtime folder, for a folder on a file system without named pipes.
public struct BellPaths: Hashable, Sendable {
    /// The pipe in the data folder.
    public let inFolder: String
    /// The pipe in the runtime folder, named after the data folder; `nil` without a runtime folder.
    public let inRuntimeFolder: String?

    /// - Parameter runtimeFolder: An absolute path; `nil` for none.
    public init(folder: DataFolder, runtimeFolder: String? = Self.runtimeFolder) {
        inFolder = folder.bell
        inRuntimeFolder = runtimeFolder.map { $0 + "/simple-memo-" + Self.name(of: folder) }
    }

    /// The folder that `XDG_RUNTIME_DIR` names; `nil` where it names none, or a relative one:
    /// https://specifications.freedesktop.org/basedir-spec/latest/
    public static var runtimeFolder: String? {
        let path = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
        return path.utf8.first == 0x2F ? path : nil
    }

    /// Wakes the agent; see ``Bell/ring(_:for:)``.
    public func ring(for call: Bell.Call = .outbox) -> Bool {
        if Bell.ring(inFolder, for: call) { return true }
        guard let inRuntimeFolder else { return false }
        var status = stat()
        // A pipe in the folder is the only one: the agent has made it there.
        if lstat(inFolder, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { return false }
        return Bell.ring(inRuntimeFolder, for: call)
    }

    /// The same name for all paths that lead to the folder (FNV-1a, 64 bits).
    private static func name(of folder: DataFolder) -> String {
        var path = folder.path
        if let resolved = realpath(path, nil) {
            path = String(cString: resolved)
            free(resolved)
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
