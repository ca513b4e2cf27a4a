package import OutboxFiles
import Synchronization

/// One operation on a file system, as a test sees it pass.
package enum FileOperation: Hashable, Sendable {
    case makeFolder, write, syncFile, syncFolder, tryLock, isNamed, exists, names
    case open(FileAccessKind)
    /// Reads the length of the file that was opened under this path.
    case length(of: String)
    case read(String)
    case rename(to: String)
    case remove(String)

    package enum FileAccessKind: Hashable, Sendable {
        case new, shared, folder
        case reading(String)
    }
}

/// Files with a test between them and the store: the test sees each operation, and refuses it by
/// throwing, or leaves it out by answering `false` (syncs only).
package struct InterposedFiles: FileSystem {
    package typealias Test = @Sendable (FileOperation) throws(FileError) -> Bool

    private final class OpenFiles: Sendable {
        let opened = Mutex<[OpenFile: (path: String, isFolder: Bool)]>([:])

        func path(of file: OpenFile) -> String { opened.withLock { $0[file]?.path ?? "" } }
    }

    private let base: any FileSystem
    private let openFiles = OpenFiles()
    private let test: Test

    package init(_ base: any FileSystem, _ test: @escaping Test) {
        self.base = base
        self.test = test
    }

    /// Closes every open file, and frees every lock, as the system does when a process dies.
    package func closeAll() {
        let files = openFiles.opened.withLock { $0.keys.sorted { $0.number < $1.number } }
        for file in files { close(file) }
    }

    package func makeFolder(_ path: String) throws(FileError) {
        _ = try test(.makeFolder)
        try base.makeFolder(path)
    }

    package func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile {
        let kind: FileOperation.FileAccessKind =
            switch access {
            case .new: .new
            case .shared: .shared
            case .reading: .reading(path)
            case .folder: .folder
            }
        _ = try test(.open(kind))
        let file = try base.open(path, for: access)
        openFiles.opened.withLock { $0[file] = (path, kind == .folder) }
        return file
    }

    package func close(_ file: OpenFile) {
        openFiles.opened.withLock { $0[file] = nil }
        base.close(file)
    }

    package func length(of file: OpenFile) throws(FileError) -> Int {
        _ = try test(.length(of: openFiles.path(of: file)))
        return try base.length(of: file)
    }

    package func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        _ = try test(.read(openFiles.path(of: file)))
        return try base.read(file, at: offset, count: count)
    }

    package func write(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(FileError) -> Int {
        _ = try test(.write)
        return try base.write(bytes, to: file, at: offset)
    }

    package func sync(_ file: OpenFile) throws(FileError) {
        let isFolder = openFiles.opened.withLock { $0[file]?.isFolder == true }
        if try test(isFolder ? .syncFolder : .syncFile) { try base.sync(file) }
    }

    package var syncsTogether: Bool { base.syncsTogether }

    package func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        _ = try test(.tryLock)
        return try base.tryLock(file)
    }

    package func unlock(_ file: OpenFile) { base.unlock(file) }

    package func isNamed(_ file: OpenFile) throws(FileError) -> Bool {
        _ = try test(.isNamed)
        return try base.isNamed(file)
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        _ = try test(.rename(to: newPath))
        try base.rename(path, to: newPath)
    }

    package func remove(_ path: String) throws(FileError) {
        _ = try test(.remove(path))
        try base.remove(path)
    }

    package func exists(_ path: String) throws(FileError) -> Bool {
        _ = try test(.exists)
        return try base.exists(path)
    }

    package func randomWord() -> UInt64 { base.randomWord() }

    package func names(in folder: String) throws(FileError) -> [[UInt8]] {
        _ = try test(.names)
        return try base.names(in: folder)
    }
}
