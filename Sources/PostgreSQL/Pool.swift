import Dispatch
import LibC
import Synchronization

/// A bounded number of connections to one database, for any number of tasks. No task's thread waits.
///
/// Each connection has a serial queue of its own, whose thread waits for the server. Connections are made
/// when they are needed, and a connection that broke is replaced for the next caller: a database that was
/// gone is used again without any help.
package final class Pool: Sendable {
    /// The bounds of a pool.
    package struct Limits: Hashable, Sendable {
        /// The greatest number of connections; at least 1.
        package var connections = 8
        /// The greatest number of callers that wait for a connection.
        package var waiting = 4096
        /// The longest wait of a caller for a connection.
        package var patience: Duration = .seconds(5)
        /// The time after a failed try to connect in which nobody tries again.
        package var pause: Duration = .milliseconds(250)

        /// The bounds above.
        package init() {}
    }

    /// The room of one connection.
    private final class Place: Sendable {
        let queue: DispatchQueue
        /// Touched on ``queue`` alone.
        nonisolated(unsafe) var connection: Connection?

        init(_ number: Int) { queue = DispatchQueue(label: "postgresql-\(number)") }
    }

    /// A caller, which is answered once.
    private struct Call: Sendable {
        /// Does the work, and returns the answer, which is given when the connection is free again.
        let work: @Sendable (Connection) -> () -> Void
        let fail: @Sendable (PostgreSQLError) -> Void
    }

    private struct State {
        var machine: PoolMachine
        var calls: [PoolMachine.Caller: Call] = [:]
        var nextCaller: PoolMachine.Caller = 0
        /// Whether a timer will tell the machine that time has passed.
        var isTimed = false
    }

    private let settings: Settings
    private let places: [Place]
    private let state: Mutex<State>
    private let timers = DispatchQueue(label: "postgresql-waiting")

    /// Connects to nothing yet.
    package init(_ settings: Settings, limits: Limits = Limits()) {
        precondition(limits.connections >= 1, "a pool has at least one connection")
        self.settings = settings
        places = (0..<limits.connections).map { Place($0) }
        state = Mutex(
            State(
                machine: PoolMachine(
                    places: limits.connections,
                    mostWaiting: limits.waiting,
                    patience: limits.patience,
                    pause: limits.pause
                )
            )
        )
    }

    /// Runs `body` on a connection, on the connection's thread.
    ///
    /// - Throws: The error of `body`; ``PostgreSQLError/busy``, ``PostgreSQLError/closed``, and what
    ///   ``Connection/init(_:)`` throws, before `body` has run.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            ask(
                Call(
                    work: { connection in
                        let result = Result { try body(connection) }
                        return { continuation.resume(with: result) }
                    },
                    fail: { continuation.resume(throwing: $0) }
                )
            )
        }
    }

    /// Like ``run(_:)``, for a thread that may wait: the calling thread is blocked until `body` has run. Must
    /// not be called on a connection's thread.
    package func runBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) throws -> Value {
        let answered = DispatchSemaphore(value: 0)
        let answer = Mutex<Result<Value, any Error>?>(nil)
        let give: @Sendable (Result<Value, any Error>) -> Void = { result in
            answer.withLock { $0 = result }
            answered.signal()
        }
        ask(
            Call(
                work: { connection in
                    let result = Result { try body(connection) }
                    return { give(result) }
                },
                fail: { give(.failure($0)) }
            )
        )
        answered.wait()
        guard let result = answer.withLock({ $0 }) else {
            preconditionFailure("a signal before the answer")
        }
        return try result.get()
    }

    /// Runs `body` like ``run(_:)``, again and again while its transaction meets others
    /// (``PostgreSQLError/conflict(_:)``), with pauses that grow and are drawn at random.
    ///
    /// - Parameters:
    ///   - tries: The greatest number of runs; at least 1.
    ///   - body: Has no effect but on the database: it may run several times.
    /// - Throws: As ``run(_:)``; the conflict of the last try.
    package func attempt<Value: Sendable>(
        tries: Int = 10,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        var pauses = Pauses()
        for _ in 1..<tries {
            do {
                return try await run(body)
            } catch let error as PostgreSQLError where error.isConflict {
                try await Task.sleep(for: pauses.next())
            }
        }
        return try await run(body)
    }

    /// Like ``attempt(tries:_:)``, for a thread that may wait.
    package func attemptBlocking<Value: Sendable>(
        tries: Int = 10,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) throws -> Value {
        var pauses = Pauses()
        for _ in 1..<tries {
            do {
                return try runBlocking(body)
            } catch let error as PostgreSQLError where error.isConflict {
                usleep(UInt32(pauses.next() / .microseconds(1)))
            }
        }
        return try runBlocking(body)
    }

    /// Runs a transaction, again and again while it meets others, as ``attempt(tries:_:)`` does.
    ///
    /// - Parameters:
    ///   - tries: The greatest number of runs; at least 1.
    ///   - body: Has no effect but on the database: it may run several times.
    /// - Throws: As ``Connection/transaction(_:_:)`` and ``attempt(tries:_:)``.
    package func transaction<Value: Sendable>(
        _ isolation: Isolation,
        tries: Int = 10,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await attempt(tries: tries) { try $0.transaction(isolation, body) }
    }

    /// Fails the callers that wait, and those that come; returns when each connection is closed, after the
    /// work that is under way.
    package func close() async {
        perform(state.withLock { $0.machine.closed() })
        for place in places {
            await withCheckedContinuation { continuation in
                place.queue.async { continuation.resume() }
            }
        }
    }

    /// Like ``close()``, for a thread that may wait. Must not be called on a connection's thread.
    package func closeBlocking() {
        perform(state.withLock { $0.machine.closed() })
        for place in places { place.queue.sync {} }
    }

    /// Whether the statements of one call are sent together (``Settings/pipelines``).
    package var pipelines: Bool { settings.pipelines }

    /// The number of callers that wait for a connection.
    package var waiting: Int { state.withLock { $0.machine.waitingCount } }

    private func ask(_ call: Call) {
        let action = state.withLock { state in
            let caller = state.nextCaller
            state.nextCaller += 1
            state.calls[caller] = call
            return state.machine.asked(by: caller, at: .now)
        }
        if let action { perform([action]) }
        setTimer()
    }

    private func perform(_ actions: [PoolMachine.Action]) {
        for action in actions {
            switch action {
            case .start(let caller, let place): start(caller, on: place)
            case .connect(let place):
                places[place].queue.async { self.connect(place) }
            case .fail(let caller, let error): take(caller)?.fail(error)
            case .close(let place):
                places[place].queue.async { self.places[place].connection = nil }
            }
        }
    }

    private func take(_ caller: PoolMachine.Caller) -> Call? {
        state.withLock { $0.calls.removeValue(forKey: caller) }
    }

    private func start(_ caller: PoolMachine.Caller, on number: Int) {
        guard let call = take(caller) else { preconditionFailure("a caller is answered once") }
        let place = places[number]
        place.queue.async {
            let answer: () -> Void
            do throws(PostgreSQLError) {
                answer = call.work(try self.connection(of: place))
            } catch {
                answer = { call.fail(error) }
            }
            let isUsable = place.connection?.isUsable ?? false
            if !isUsable { place.connection = nil }
            let next = self.state.withLock {
                $0.machine.worked(number, isUsable: isUsable, at: .now)
            }
            answer()
            self.perform(next)
        }
    }

    /// The server may have ended the connection while it was idle: then the work has a new one.
    private func connection(of place: Place) throws(PostgreSQLError) -> Connection {
        if let connection = place.connection, connection.isQuiet { return connection }
        place.connection = nil
        let connection = try Connection(settings)
        place.connection = connection
        return connection
    }

    private func connect(_ place: Int) {
        do throws(PostgreSQLError) {
            places[place].connection = try Connection(settings)
        } catch {
            perform(
                state.withLock { $0.machine.connectingFailed(place, error, at: .now) }
            )
            return
        }
        perform(state.withLock { $0.machine.connected(place, at: .now) })
    }

    /// One timer is set while callers wait: the first one to come is the first one to have waited enough.
    private func setTimer() {
        let deadline = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isTimed, let deadline = state.machine.nextDeadline else { return nil }
            state.isTimed = true
            return deadline
        }
        guard let deadline else { return }
        let left = ContinuousClock.now.duration(to: deadline) / .nanoseconds(1)
        timers.asyncAfter(deadline: .now() + .nanoseconds(Int(max(left, 0)))) { [weak self] in
            guard let self else { return }
            perform(
                state.withLock { state in
                    state.isTimed = false
                    return state.machine.timePassed(at: .now)
                }
            )
            setTimer()
        }
    }
}

/// The pauses between the tries of a transaction that meets others.
private struct Pauses {
    private var ceiling = Duration.milliseconds(4)

    mutating func next() -> Duration {
        defer { ceiling = min(ceiling * 2, .milliseconds(500)) }
        return ceiling * Double.random(in: 0...1)
    }
}
