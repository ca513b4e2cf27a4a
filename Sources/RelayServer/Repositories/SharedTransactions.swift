import Dispatch
import OutboxCore
import OutboxSQLite
import SQLite
import Synchronization

/// Lets concurrent callers share one durable transaction, and keeps their blocking work away from
/// the threads of Swift's tasks.
///
/// While one transaction is being written, later callers gather; the next transaction takes all of
/// them, in order, each in a savepoint of its own. A caller is answered once the transaction is
/// durable. Reads are not in a transaction: they see what is durable.
///
/// Between two transactions there are at most ``maximumReads`` reads, so that strangers, whose
/// requests cost a read each, do not keep an accepted memo from the disk. Reads for a caller that is
/// known go before the others.
///
/// - A caller whose work throws undoes its own work only.
/// - When a shared transaction fails, each of its callers gets a transaction alone, so that the
///   failure is that of its cause.
final class SharedTransactions: Sendable {
    /// Bounds a transaction, so that its first caller does not wait for ever.
    static let maximumCallers = 256
    /// Bounds the wait of a transaction for reads.
    static let maximumReads = 64

    private struct Gathered: Sendable {
        /// Of callers that are known.
        var urgentReads: [@Sendable () -> Void] = []
        var reads: [@Sendable () -> Void] = []
        var writes: [any AnyWrite] = []
        var isWorking = false
    }

    private let storage: SQLiteStorage
    private let queue = DispatchQueue(label: "relay-store")
    private let gathered = Mutex(Gathered())

    init(storage: SQLiteStorage) {
        self.storage = storage
    }

    /// Runs `body`, which must only read, on the connection.
    ///
    /// - Parameter isUrgent: Whether the read goes before those of callers that may be strangers.
    func read<Result: Sendable>(
        isUrgent: Bool = false,
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let read: @Sendable () -> Void = { [storage] in
                continuation.resume(with: Swift.Result { try storage.read(body) })
            }
            gather { gathered in
                if isUrgent {
                    gathered.urgentReads.append(read)
                } else {
                    gathered.reads.append(read)
                }
            }
        }
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
            gather { $0.writes.append(write) }
        }
    }

    /// The number of callers of ``write(_:)`` whose work has not begun.
    var waiting: Int { gathered.withLock { $0.writes.count } }

    /// The number of callers of ``read(isUrgent:_:)`` whose work has not begun.
    var waitingReads: Int { gathered.withLock { $0.urgentReads.count + $0.reads.count } }

    private func gather(_ add: (inout Gathered) -> Void) {
        let isFirst = gathered.withLock { gathered in
            add(&gathered)
            defer { gathered.isWorking = true }
            return !gathered.isWorking
        }
        if isFirst { queue.async { self.work() } }
    }

    private func work() {
        while true {
            let (reads, writes) = gathered.withLock { gathered in
                let writes = Array(gathered.writes.prefix(Self.maximumCallers))
                gathered.writes.removeFirst(writes.count)
                let urgent = gathered.urgentReads.prefix(Self.maximumReads)
                gathered.urgentReads.removeFirst(urgent.count)
                let others = gathered.reads.prefix(Self.maximumReads - urgent.count)
                gathered.reads.removeFirst(others.count)
                let reads = Array(urgent + others)
                gathered.isWorking = !(writes.isEmpty && reads.isEmpty)
                return (reads, writes)
            }
            guard !(reads.isEmpty && writes.isEmpty) else { return }
            for read in reads { read() }
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
            do {
                try storage.write { database in
                    for write in writes {
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
            for write in writes { write.answer() }
        }
    }
}

/// A caller's part of a transaction, with its result until the transaction is durable.
private protocol AnyWrite: Sendable {
    func run(_ database: Connection) throws
    /// Keeps an error in place of the result.
    func refused(with error: any Error)
    /// Answers the caller.
    func answer()
}

private final class Write<Value: Sendable>: AnyWrite {
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
