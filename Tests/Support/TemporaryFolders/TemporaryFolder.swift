import Foundation

/// A folder of a test's own, which is removed, with all that is in it, with this object.
package final class TemporaryFolder: Sendable {
    /// Where it is, without a slash at the end.
    package let path: String

    /// Makes it.
    package init() throws {
        path = NSTemporaryDirectory() + "memo-test-" + UUID().uuidString.lowercased()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("could not remove \(path)")
        }
    }

    /// The path of something in it.
    package func file(_ name: String) -> String { path + "/" + name }
}
