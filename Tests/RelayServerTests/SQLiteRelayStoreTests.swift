import Outbox
import OutboxTesting
import RelayTesting
import TemporaryFolders
import Testing

@testable import RelayServer

// The time limit ends a test that hangs; no test comes near it.
@Suite("The relay's store in SQLite", .timeLimit(.minutes(60)))
struct SQLiteRelayStoreTests {
    fileprivate typealias Conformance = RelayStoreConformance<SQLiteRelayStore>

    @Test("keeps a store's promises", arguments: Conformance.checks)
    fileprivate func promises(_ check: Conformance.Check) async throws {
        let folder = try TemporaryFolder()
        let keys = MemoryKeyStore(keys: [.random()])
        try await check.run(on: try SQLiteRelayStore(folder: folder.path, keys: keys))
    }
}
