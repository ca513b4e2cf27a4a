import Outbox
import OutboxTesting
import TestSeeds
import Testing

@Suite struct MemoryStorageTests {
    fileprivate struct Wrapper: WrappingStorage {
        let base: MemoryStorage
    }

    @Test("the contract of a storage holds", arguments: StorageConformance<MemoryStorage>.checks)
    func conforms(check: StorageConformance<MemoryStorage>.Check) throws {
        try check.run(seed: TestSeeds["conformance"][0]) { MemoryStorage() }
    }

    @Test("a wrapped storage keeps its contract", arguments: StorageConformance<Wrapper>.checks)
    fileprivate func wrapperConforms(check: StorageConformance<Wrapper>.Check) throws {
        try check.run(seed: TestSeeds["conformance"][0]) { Wrapper(base: MemoryStorage()) }
    }
}
