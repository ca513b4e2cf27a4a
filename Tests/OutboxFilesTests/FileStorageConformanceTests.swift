import OutboxFiles
import OutboxTesting
import TemporaryFolders
import TestSeeds
import Testing

@Suite struct FileStorageConformanceTests {
    @Test("the contract of a storage holds", arguments: StorageConformance<FileStorage>.checks)
    func conforms(check: StorageConformance<FileStorage>.Check) throws {
        let folder = try TemporaryFolder()
        try check.run(seed: TestSeeds["conformance"][0]) {
            try FileStorage(folder: folder.file("store"))
        }
    }

    @Test("and on the disk that is simulated", arguments: StorageConformance<FileStorage>.checks)
    func conformsSimulated(check: StorageConformance<FileStorage>.Check) throws {
        let disk = SimulatedDisk.prepared()
        try check.run(seed: TestSeeds["conformance"][0]) {
            try FileStorage(folder: FileScenario.folder, system: disk)
        }
    }
}
