import Foundation
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import TemporaryFolders
import Testing

@testable import RelaySQLite
@testable import RelayServer

@Suite("The start of a relay on a data folder", .timeLimit(.minutes(60)))
struct StoreOpeningTests {
    private let parent: TemporaryFolder
    private let folder: String

    init() throws {
        parent = try TemporaryFolder()
        folder = parent.file("data")
    }

    private func open(
        _ folder: String? = nil,
        keyPath: String? = nil
    ) throws(RelayStartError) -> SQLiteRelayStore {
        let folder = folder ?? self.folder
        return try SQLiteRelayStore(
            folder: folder,
            StoreSettings(
                keyPath: keyPath ?? folder + "/key",
                mailPolicy: .mail,
                clock: .system,
                log: { _ in },
                fateLost: { _ in }
            )
        )
    }

    @Test("makes folder, database and key, and finds the same secret again")
    func again() throws {
        func code() throws -> [UInt8] { try open().secret.authenticationCode(.cursor, [1]) }
        #expect(try code() == code())
    }

    @Test("takes the key from the path that it is told")
    func keyElsewhere() throws {
        let keyPath = parent.file("elsewhere")
        _ = try open(keyPath: keyPath)
        #expect(access(keyPath, F_OK) == 0 && access(folder + "/key", F_OK) != 0)
        #expect(throws: RelayStartError.key(.missing)) { _ = try open() }
        _ = try open(parent.file("other"))
        #expect(throws: RelayStartError.database(.otherKey)) {
            _ = try open(keyPath: parent.file("other/key"))
        }
    }

    @Test("says that the folder cannot be made, or is in use")
    func folderFaults() throws {
        #expect(throws: RelayStartError.dataFolder(code: ENOENT)) {
            _ = try open(parent.file("none/data"))
        }
        let first = try open()
        #expect(throws: RelayStartError.dataFolderInUse) { _ = try open() }
        withExtendedLifetime(first) {}
    }

    @Test("says that the key is gone, or that others may read it")
    func keyFaults() throws {
        _ = try open()
        try #require(chmod(folder + "/key", 0o644) == 0)
        #expect(throws: RelayStartError.key(.permissionsTooWide)) { _ = try open() }
        try #require(unlink(folder + "/key") == 0)
        #expect(throws: RelayStartError.key(.missing)) { _ = try open() }
    }

    @Test("says that the secret is lost while there are accounts")
    func secretLost() throws {
        _ = try open()
        try SQLiteStorage(path: folder + "/relay.sqlite").write { database in
            try database.execute(
                """
                DELETE FROM relay_secret;
                INSERT INTO account(id, address_key, address, created_at) VALUES(X'01', X'01', X'01', 0);
                """
            )
        }
        #expect(throws: RelayStartError.secret) { _ = try open() }
    }

    @Test("says that the database is damaged")
    func damage() throws {
        try #require(mkdir(folder, 0o700) == 0)
        try Data(repeating: 7, count: 8192).write(
            to: URL(fileURLWithPath: folder + "/relay.sqlite")
        )
        #expect(throws: RelayStartError.database(.damaged)) { _ = try open() }
    }
}
