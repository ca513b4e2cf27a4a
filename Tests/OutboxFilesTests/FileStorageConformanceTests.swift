import OutboxFiles
import OutboxTesting
import Testing

@Suite struct FileStorageConformanceTests {
    @Test("the contract of a storage holds", arguments: StorageConformance<FileStorage>.checks)
    func conforms(check: StorageConformance<FileStorage>.Check) throws {
        let folder = try TemporaryFolder()
        try check.run { try FileStorage(folder: folder.file("store")) }
    }
}
