import Foundation
import MemoKit
import TemporaryFolders

/// A data folder of a test's own, removed with this object.
final class TemporaryFolder {
    let place: TemporaryFolders.TemporaryFolder
    var root: String { place.path }
    let folder: DataFolder

    init() throws {
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

extension MemoBox {
    /// Opens a folder without the person's keyring.
    convenience init(folder: DataFolder) throws(MemoError) {
        try self.init(folder: folder, keys: .file)
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
