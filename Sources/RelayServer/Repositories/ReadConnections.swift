import OutboxSQLite
import SQLite
import Synchronization

/// Connections that read the relay's database beside its transactions, on the caller's thread.
///
/// In a write-ahead log readers and the writer do not wait for each other
/// (<https://sqlite.org/wal.html#concurrency>). So a request that is refused after a look at the
/// database takes nothing from the thread that stores memos, and no look changes the thread: a look
/// takes some ten microseconds, a change of threads takes as long, and waits where other threads
/// have the processors. A read sees each transaction whose caller was answered before it begins.
///
/// A page that the system does not hold in its memory is read from the disk on the caller's thread.
/// Reads that take longer than a few rows belong on a thread of their own.
final class ReadConnections: Sendable {
    private let all: [SQLiteStorage]
    /// Those that nobody uses.
    private let free: Mutex<[SQLiteStorage]>

    /// - Parameters:
    ///   - path: The path of a database that is open.
    ///   - count: The number of reads at once. A further one waits for an earlier one.
    /// - Throws: `StorageError`.
    init(path: String, count: Int) throws {
        all = try (0..<max(1, count)).map { _ in
            let storage = try SQLiteStorage(path: path, shortensLog: false)
            try storage.read { database in
                try database.execute("PRAGMA query_only = 1")
                // After each transaction the pages are read anew.
                try database.execute("PRAGMA cache_size = -\(Self.cachedKilobytes)")
            }
            return storage
        }
        free = Mutex(all)
    }

    /// The pages that a connection keeps in memory, in units of 1024 bytes.
    private static let cachedKilobytes = 512

    /// Runs `body` on a connection that refuses to change anything.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let own = free.withLock { $0.popLast() }
        defer { if let own { free.withLock { $0.append(own) } } }
        // The storage lets one caller at a time in.
        return try (own ?? all[0]).read(body)
    }

    /// Closes the connections: each further read throws.
    func close() {
        for storage in all { storage.close() }
    }
}
