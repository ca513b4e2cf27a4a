import CSQLite
import Foundation
import Outbox
import OutboxSQLite
import TemporaryFolders
import Testing
import Waiting

/// SQLite does not wait for a lock while it gives a database its log.
@Suite struct OpeningTests {
    @Test("opening waits for another process that makes the database")
    func waits() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox.sqlite")
        let maker = try Maker(path: path)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        // No task: one may begin only when the wait for the maker has ended.
        Thread.detachNewThread {
            usleep(200_000)
            end.yield(maker.finish())
            end.finish()
        }
        let storage = try await onOwnThread { try SQLiteStorage(path: path) }
        #expect(try storage.counts() == OutboxCounts())
        #expect(await ends.first { _ in true } == true)
    }

    @Test("opening waits no longer than it was told")
    func givesUp() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox.sqlite")
        let maker = try Maker(path: path)
        await #expect(throws: StorageError.busy) {
            try await onOwnThread { try SQLiteStorage(path: path, busyTimeoutMilliseconds: 50) }
        }
        #expect(maker.finish())
        _ = try SQLiteStorage(path: path)
    }
}

/// A connection that has begun to write a database, which has no log yet.
private final class Maker: @unchecked Sendable {
    private let handle: OpaquePointer

    init(path: String) throws {
        var opened: OpaquePointer?
        try #require(sqlite3_open(path, &opened) == SQLITE_OK)
        handle = try #require(opened)
        // Without a log a commit needs the database for itself, and whoever tries to open it holds it now and then.
        sqlite3_busy_timeout(handle, 60_000)
        try #require(run("CREATE TABLE something(a); BEGIN IMMEDIATE"))
    }

    /// Commits and closes; says whether both were done.
    func finish() -> Bool {
        let isCommitted = run("COMMIT")
        return sqlite3_close(handle) == SQLITE_OK && isCommitted
    }

    private func run(_ sql: String) -> Bool {
        sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    }
}
