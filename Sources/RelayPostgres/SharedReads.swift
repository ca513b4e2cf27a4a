import PostgreSQL
import Synchronization

/// Lets concurrent callers that read share one journey to the server, and one moment.
///
/// While two journeys are under way, later callers gather; the next journey takes all of them. Only for reads of
/// a few rows: each caller waits for the answers to all.
final class SharedReads: Sendable {
    /// The greatest numbers of journeys under way at once, and of callers of each.
    private struct Bounds {
        let journeys: Int
        let together: Int
    }

    private struct Reader: Sendable {
        let statements: [Statement]
        /// Reads the answers, on the connection's thread, and returns what hands the result out.
        let read: @Sendable ([Rows]) -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Reader] = []
        var underWay = 0

        /// The callers of a journey that may begin now; none else.
        mutating func next(_ bounds: Bounds) -> [Reader] {
            guard underWay < bounds.journeys, !waiting.isEmpty else { return [] }
            let next = Array(waiting.prefix(bounds.together))
            waiting.removeFirst(next.count)
            underWay += 1
            return next
        }
    }

    private let pool: Pool
    private let bounds: Bounds
    private let state = Mutex(State())

    /// - Parameter pool: The connections. Where it sends no statements together, each caller has one alone.
    init(pool: Pool) {
        self.pool = pool
        // While the answers of one journey are read, the server works for another one.
        bounds =
            pool.pipelines ? Bounds(journeys: 2, together: 64) : Bounds(journeys: 7, together: 1)
    }

    /// Runs a work over its answers.
    ///
    /// - Parameters:
    ///   - statements: The statements that the work asks.
    ///   - work: Reads an answer to each of them.
    /// - Throws: The error of the work; `PostgreSQLError`.
    func read<Value: Sendable>(
        _ statements: [Statement],
        _ work: @escaping @Sendable ([Rows]) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let reader = Reader(
                statements: statements,
                read: { rows in
                    let result = Result { try work(rows) }
                    return { continuation.resume(with: result) }
                },
                fail: { continuation.resume(throwing: $0) }
            )
            let next = state.withLock { state in
                state.waiting.append(reader)
                return state.next(bounds)
            }
            if !next.isEmpty { begin(next) }
        }
    }

    private func begin(_ readers: [Reader]) {
        Task {
            await answer(readers)
            let next = state.withLock { state in
                state.underWay -= 1
                return state.next(bounds)
            }
            if !next.isEmpty { begin(next) }
        }
    }

    /// When one statement makes all of them fail, each caller asks alone.
    private func answer(_ readers: [Reader]) async {
        do {
            for handOut in try await results(of: readers) { handOut() }
        } catch let error as PostgreSQLError where error.isOfOneStatement && readers.count > 1 {
            for reader in readers { await answer([reader]) }
        } catch {
            for reader in readers { reader.fail(error) }
        }
    }

    /// Asks once more where a connection breaks.
    private func results(of readers: [Reader]) async throws -> [@Sendable () -> Void] {
        let read: @Sendable (Connection) throws -> [@Sendable () -> Void] = { connection in
            var rows = try connection.snapshot(readers.flatMap(\.statements))[...]
            return readers.map { reader in
                defer { rows = rows.dropFirst(reader.statements.count) }
                return reader.read(Array(rows.prefix(reader.statements.count)))
            }
        }
        do {
            return try await pool.attempt(read)
        } catch PostgreSQLError.lost {
            return try await pool.attempt(read)
        }
    }
}
