import OutboxTesting
import Testing

@Suite struct MemoryStorageTests {
    @Test("the contract of a storage holds", arguments: StorageConformance<MemoryStorage>.checks)
    func conforms(check: StorageConformance<MemoryStorage>.Check) throws {
        try check.run { MemoryStorage() }
    }
}
