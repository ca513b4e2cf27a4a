import Foundation

/// A folder of a test's own, which is removed, with all that is in it, with this object.
package final class TemporaryFolder: Sendable {
    /// Where it is, without a slash at the end.
    package let path: String

    /// Makes it.
    ///
    /// - Parameter isInMemory: Whether it may lie in memory, where the system has a place for that.
    ///   A test that knows by itself what a power cut leaves then does not wait for the disk.
    package init(isInMemory: Bool = false) throws {
        let memory = "/dev/shm/"
        let parent =
            isInMemory && access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        path = parent + "memo-test-" + UUID().uuidString.lowercased()
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
