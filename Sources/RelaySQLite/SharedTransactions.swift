import Dispatch
import NIOCore
import OutboxCore
import OutboxSQLite
import RelayServer
import SQLite
import Synchronization

/// Lets concurrent callers share one durable transaction, and keeps their blocking work away from
/// the threads of Swift's tasks.
///
/// While one transaction is being written, later callers gather; the next transaction takes all of
/// them, in order, each in a savepoint of its own. A caller is answered once the transaction is
/// durable. Reads have connections of their own (``ReadConnections``).
///
/// - Callers on a ``BackgroundThread`` wait for others: those that come while a transaction is written
///   are before them in the next one, and end one that has only such callers left. One of the background is
///   in each transaction.
/// - A caller whose work throws undoes its own work only.
/// - When a shared transaction fails, each of its callers gets a transaction alone, so that the
///   failure is that of its cause.
final class SharedTransactions: Sendable {
    /// Bounds a transaction, so that its first caller does not wait for ever.
    static let maximumCallers = 256

    private struct Gathered: Sendable {
        var writes: [any AnyWrite] = []
        /// Those of the background.
        var behind: CircularBuffer<any AnyWrite> = []
        var isWorking = false

        /// The next transaction: those of the background follow the others.
        mutating func next() -> [any AnyWrite] {
            var next = Array(writes.prefix(maximumCallers))
            writes.removeFirst(next.count)
            while next.count < maximumCallers, let write = behind.popFirst() { next.append(write) }
            isWorking = !next.isEmpty
            return next
        }
    }

    private let storage: SQLiteStorage
    private let queue = DispatchQueue(label: "relay-store")
    private let gathered = Mutex(Gathered())

    init(storage: SQLiteStorage) {
        self.storage = storage
    }

    /// Runs `body` in a durable transaction, perhaps with those of other callers.
    ///
    /// - Parameter body: Has no effect but on the database: it runs again after a shared
    ///   transaction has failed.
    /// - Throws: The error of `body`; the error of the transaction. Nothing of `body` is stored then.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let write = Write(body: body, continuation: continuation)
            let isFirst = gathered.withLock { gathered in
                if write.isBehind {
                    gathered.behind.append(write)
                } else {
                    gathered.writes.append(write)
                }
                defer { gathered.isWorking = true }
                return !gathered.isWorking
            }
            if isFirst { queue.async { self.work() } }
        }
    }

    /// The number of callers of ``write(_:)`` whose work has not begun.
    var waiting: Int { gathered.withLock { $0.writes.count + $0.behind.count } }

    private func work() {
        while true {
            let writes = gathered.withLock { $0.next() }
            guard !writes.isEmpty else { return }
            commit(writes)
        }
    }

    private func commit(_ writes: [any AnyWrite]) {
        switch writes.count {
        case 0: break
        case 1:
            do {
                try storage.write { try writes[0].run($0) }
            } catch {
                writes[0].refused(with: error)
            }
            writes[0].answer()
        default:
            var done = writes.count
            do {
                try storage.write { database in
                    done = writes.count
                    for (index, write) in writes.enumerated() {
                        // One of the background is in each transaction.
                        if index > 0, writes[index - 1].isBehind, isAwaited {
                            done = index
                            break
                        }
                        try database.run("SAVEPOINT caller")
                        do {
                            try write.run(database)
                        } catch let error where !(error is SQLiteError) {
                            write.refused(with: error)
                            try database.run("ROLLBACK TO caller")
                        }
                        try database.run("RELEASE caller")
                    }
                }
            } catch {
                for write in writes { commit([write]) }
                return
            }
            gathered.withLock { gathered in
                for write in writes[done...].reversed() { gathered.behind.prepend(write) }
            }
            for write in writes[..<done] { write.answer() }
        }
    }

    /// Whether a caller waits who is not of the background.
    private var isAwaited: Bool { gathered.withLock { !$0.writes.isEmpty } }
}

/// A caller's part of a transaction, with its result until the transaction is durable.
private protocol AnyWrite: Sendable {
    var isBehind: Bool { get }
    func run(_ database: Connection) throws
    /// Keeps an error in place of the result.
    func refused(with error: any Error)
    /// Answers the caller.
    func answer()
}

private final class Write<Value: Sendable>: AnyWrite {
    let isBehind = BackgroundThread.isCurrent
    private let body: @Sendable (Connection) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(
        body: @escaping @Sendable (Connection) throws -> Value,
        continuation: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func run(_ database: Connection) throws {
        let value = try body(database)
        result.withLock { $0 = .success(value) }
    }

    func refused(with error: any Error) {
        result.withLock { $0 = .failure(error) }
    }

    func answer() {
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("a write is answered after it ran")
        }
        continuation.resume(with: result)
    }
}
