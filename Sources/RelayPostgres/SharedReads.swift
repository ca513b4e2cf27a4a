import PostgreSQL
import Synchronization

/// Lets concurrent callers that read share one journey to the server, and one moment.
///
/// While two journeys are under way, later callers gather; the next journey takes all of them
/// (``Journey``). Only for reads of a few rows: each caller waits for the answers to all.
///
/// At most ``Bounds/waiting`` callers gather, each for ``Bounds/patience`` at most: further ones fail, as those
/// do for whom a pool has no connection.
final class SharedReads: Sendable {
    struct Bounds {
        /// The greatest number of journeys under way at once.
        var journeys: Int
        /// The greatest number of callers of a journey.
        var together: Int
        /// The greatest number of callers that wait for a journey.
        var waiting = 4096
        /// The longest wait of a caller for its journey.
        var patience: Duration = .seconds(5)

        /// - Parameter pipelines: Whether statements are sent together. Else each caller has a connection alone.
        init(pipelines: Bool) {
            // While the answers of one journey are read, the server works for another one.
            (journeys, together) = pipelines ? (2, 64) : (7, 1)
        }
    }

    private struct Reader: Sendable {
        let questions: [Question]
        /// The end of the caller's patience.
        let until: ContinuousClock.Instant
        /// Reads the answers, on the connection's thread, and returns what hands the result out.
        let read: @Sendable ([Rows]) -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: ArraySlice<Reader> = []
        var underWay = 0
        /// Whether callers that have waited enough will be looked for.
        var isTimed = false

        /// The callers of a journey that may begin now; none else.
        mutating func next(_ bounds: Bounds) -> [Reader] {
            guard underWay < bounds.journeys, !waiting.isEmpty else { return [] }
            let next = Array(waiting.prefix(bounds.together))
            waiting.removeFirst(next.count)
            underWay += 1
            return next
        }

        /// The callers that have waited enough.
        mutating func impatient(at now: ContinuousClock.Instant) -> [Reader] {
            let impatient = Array(waiting.prefix { $0.until <= now })
            waiting.removeFirst(impatient.count)
            return impatient
        }
    }

    private let pool: Pool
    private let bounds: Bounds
    private let state = Mutex(State())

    init(pool: Pool, bounds: Bounds? = nil) {
        self.pool = pool
        self.bounds = bounds ?? Bounds(pipelines: pool.pipelines)
    }

    /// Runs a work over its answers.
    ///
    /// - Parameters:
    ///   - questions: The questions of the work.
    ///   - work: Reads an answer to each of them.
    /// - Throws: The error of the work; `PostgreSQLError`.
    func read<Value: Sendable>(
        _ questions: [Question],
        _ work: @escaping @Sendable ([Rows]) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let reader = Reader(
                questions: questions,
                until: .now + bounds.patience,
                read: { rows in
                    let result = Result { try work(rows) }
                    return { continuation.resume(with: result) }
                },
                fail: { continuation.resume(throwing: $0) }
            )
            let next: [Reader]? = state.withLock { state in
                guard state.waiting.count < bounds.waiting else { return nil }
                state.waiting.append(reader)
                return state.next(bounds)
            }
            guard let next else { return reader.fail(PostgreSQLError.busy) }
            if !next.isEmpty { begin(next) }
            setTimer()
        }
    }

    /// The number of callers that wait for a journey.
    var waiting: Int { state.withLock { $0.waiting.count } }

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

    /// One timer is set while callers wait: the first one to come is the first one to have waited enough.
    private func setTimer() {
        let first = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isTimed, let first = state.waiting.first else { return nil }
            state.isTimed = true
            return first.until
        }
        guard let first else { return }
        Task {
            // Nobody cancels this task.
            try? await Task.sleep(until: first)
            let impatient = state.withLock { state in
                state.isTimed = false
                return state.impatient(at: .now)
            }
            for reader in impatient { reader.fail(PostgreSQLError.busy) }
            setTimer()
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
            var journey = Journey()
            for reader in readers { journey.add(reader.questions) }
            var rows = try journey.run { try connection.snapshot($0) }[...]
            return readers.map { reader in
                defer { rows = rows.dropFirst(reader.questions.count) }
                return reader.read(Array(rows.prefix(reader.questions.count)))
            }
        }
        do {
            return try await pool.attempt(read)
        } catch PostgreSQLError.lost {
            return try await pool.attempt(read)
        }
    }
}
