import Outbox
import OutboxSQLite
import OutboxTesting
import TemporaryFolders
import TestSeeds
import Testing

@Suite struct SQLiteStorageTests {
    @Test("the contract of a storage holds", arguments: StorageConformance<SQLiteStorage>.checks)
    func conforms(check: StorageConformance<SQLiteStorage>.Check) throws {
        let folder = try TemporaryFolder()
        try check.run(seed: TestSeeds["conformance"][0]) {
            try SQLiteStorage(path: folder.file("outbox.sqlite"))
        }
    }
}
