import Outbox
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
///
/// A connection is opened when a read first finds no free one: a relay that nobody asks needs none of
/// their files.
final class ReadConnections: Sendable {
    private struct Opened {
        var all: [SQLiteStorage] = []
        /// Those that nobody uses.
        var free: [SQLiteStorage] = []
        var isClosed = false
    }

    private let path: String
    private let count: Int
    private let opened = Mutex(Opened())

    /// - Parameters:
    ///   - path: The path of a database that is open for as long as it is read.
    ///   - count: The number of reads at once. A further one waits for an earlier one.
    init(path: String, count: Int) {
        self.path = path
        self.count = max(1, count)
    }

    /// The pages that a connection keeps in memory, in units of 1024 bytes.
    private static let cachedKilobytes = 512

    /// Runs `body` on a connection that refuses to change anything.
    ///
    /// - Throws: `StorageError`; the errors of `body`.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let (storage, isShared) = try take()
        defer { if !isShared { opened.withLock { $0.free.append(storage) } } }
        // The storage lets one caller at a time in.
        return try storage.read(body)
    }

    /// A free connection; a new one; or, where all are in use, one of them.
    private func take() throws -> (storage: SQLiteStorage, isShared: Bool) {
        try opened.withLock { opened in
            if let free = opened.free.popLast() { return (free, false) }
            guard !opened.isClosed else { throw StorageError.closed }
            guard opened.all.count < count else { return (opened.all[0], true) }
            let new = try open()
            opened.all.append(new)
            return (new, false)
        }
    }

    private func open() throws -> SQLiteStorage {
        let storage = try SQLiteStorage(path: path, shortensLog: false)
        try storage.read { database in
            try database.execute("PRAGMA query_only = 1")
            // After each transaction the pages are read anew.
            try database.execute("PRAGMA cache_size = -\(Self.cachedKilobytes)")
        }
        return storage
    }

    /// Closes the connections: each further read throws.
    func close() {
        let all = opened.withLock { opened in
            opened.isClosed = true
            return opened.all
        }
        for storage in all { storage.close() }
    }
}
