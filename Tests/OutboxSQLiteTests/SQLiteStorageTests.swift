import Foundation
import Outbox
import OutboxSQLite
import OutboxTesting
import Testing

@Suite struct SQLiteStorageTests {
    @Test("the contract of a storage holds", arguments: StorageConformance<SQLiteStorage>.checks)
    func conforms(check: StorageConformance<SQLiteStorage>.Check) throws {
        let folder = try TemporaryFolder()
        try check.run { try SQLiteStorage(path: folder.file("outbox.sqlite")) }
    }
}

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "outbox-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }
}
