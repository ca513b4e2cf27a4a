import Outbox
import OutboxTesting
import Testing

@Suite struct MemoryStorageTests {
    fileprivate struct Wrapper: WrappingStorage {
        let base: MemoryStorage
    }

    @Test("the contract of a storage holds", arguments: StorageConformance<MemoryStorage>.checks)
    func conforms(check: StorageConformance<MemoryStorage>.Check) throws {
        try check.run { MemoryStorage() }
    }

    @Test("a wrapped storage keeps its contract", arguments: StorageConformance<Wrapper>.checks)
    fileprivate func wrapperConforms(check: StorageConformance<Wrapper>.Check) throws {
        try check.run { Wrapper(base: MemoryStorage()) }
    }
}
