import OutboxCore

/// A file on its way into a store: written, then synced, then renamed. Locked as long as it is
/// temporary, so that no process takes its writer for dead.
struct TemporaryFile {
    private let files: Files
    let file: OpenFile
    private let path: String

    init(holding bytes: [UInt8], paths: FilePaths, files: Files) throws(FileError) {
        self.files = files
        (file, path) = try Self.make(paths, files)
        do {
            try files.write(bytes, to: file, at: 0)
        } catch {
            discard()
            throw error
        }
    }

    /// Syncs the file. Never repeat a failed sync: a second sync may succeed although the bytes are
    /// lost ([fsyncgate](https://wiki.postgresql.org/wiki/Fsync_Errors)).
    func sync() throws(FileError) {
        try files.sync(file)
    }

    func rename(to newPath: String) throws(FileError) {
        try files.rename(path, to: newPath)
    }

    /// Closes the file, which has its lasting name now.
    func close() {
        files.close(file)
    }

    /// Removes the file; if that fails, too, a later sweep removes it.
    func discard() {
        _ = try? files.remove(path)
        files.close(file)
    }

    /// Makes a locked file. A sweep may lock, and remove, a file between its making and its locking
    /// here: then another file is made.
    private static func make(_ paths: FilePaths, _ files: Files) throws(FileError) -> (
        OpenFile, String
    ) {
        while true {
            let name = OperationID(high: files.randomWord(), low: files.randomWord())
            let path = paths.temporary(name.description)
            let file = try files.open(path, for: .new)
            do {
                if try files.tryLock(file), try files.isNamed(file) { return (file, path) }
            } catch {
                _ = try? files.remove(path)
                files.close(file)
                throw error
            }
            files.close(file)
        }
    }
}
