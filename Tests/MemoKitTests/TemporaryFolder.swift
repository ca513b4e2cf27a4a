import Foundation
import MemoKit
import TemporaryFolders

/// A data folder of a test's own, removed with this object.
final class TemporaryFolder {
    let place: TemporaryFolders.TemporaryFolder
    var root: String { place.path }
    let folder: DataFolder

    /// Keeps the keys of tests out of the person's keyring.
    private static let choosesKeyFiles = setenv("MEMO_KEY_STORE", "file", 1) == 0

    init() throws {
        precondition(Self.choosesKeyFiles)
        place = try TemporaryFolders.TemporaryFolder()
        folder = DataFolder(path: place.file("data"))
    }

    /// Every file below the folder and what is in it.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let path = folder.path + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path))
        }
        return files
    }
}

/// What `body` throws, as a ``MemoError``; `nil` when it throws nothing.
func memoError(_ body: () throws -> Void) -> MemoError? {
    do {
        try body()
        return nil
    } catch {
        return error as? MemoError
    }
}
