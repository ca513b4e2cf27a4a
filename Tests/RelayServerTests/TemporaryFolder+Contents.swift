import Foundation
import TemporaryFolders
import Testing

extension TemporaryFolder {
    /// The names in a folder below, in order.
    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    func bytes(of file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)))
    }

    /// Every file below, whole; at least one.
    func allBytes() throws -> [[UInt8]] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: path)
        let all: [[UInt8]] = try files.compactMap { file in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + file, isDirectory: &isFolder)
            return isFolder.boolValue ? nil : try bytes(of: file)
        }
        try #require(!all.isEmpty)
        return all
    }
}
