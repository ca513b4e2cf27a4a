import Foundation

/// A folder that is gone when the test is over.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "relay-test-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("could not remove \(path)")
        }
    }

    /// The names in a folder below, in order.
    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    func bytes(of file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)))
    }

    /// Every file below, whole.
    func allBytes() throws -> [[UInt8]] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: path)
        return try files.compactMap { file in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + file, isDirectory: &isFolder)
            return isFolder.boolValue ? nil : try bytes(of: file)
        }
    }
}
