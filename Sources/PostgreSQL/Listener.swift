import Dispatch
import LibC
import Synchronization

/// A channel of a database on which programs tell each other that something has changed, by a connection of
/// its own (`LISTEN` and `NOTIFY`).
///
/// Nothing rests on it: what is told may be lost, or come late, and some engines and poolers tell nothing.
///
/// - However often ``tell()`` is called, others are told once in ``Times/pause`` at most.
/// - The listener gives itself a sign in each ``Times/sign``. A connection on which it has heard nothing for
///   ``Times/silence`` is given up for another: a network may forget a connection without a word.
package final class Listener: Sendable {
    /// The times of a listener.
    package struct Times: Sendable {
        /// The shortest time between two messages to others.
        package var pause = Duration.milliseconds(20)
        /// The time between two signs to itself.
        package var sign = Duration.seconds(3)
        /// The time after which a connection on which nothing is heard is given up.
        package var silence = Duration.seconds(8)
        /// The time before the second try to connect. It doubles with each try.
        package var firstWait = Duration.seconds(1)
        /// The longest time between two tries.
        package var longestWait = Duration.seconds(60)

        package init() {}
    }

    private struct State {
        var connection: Connection?
        /// Watches a copy of the connection's socket.
        var source: (any DispatchSourceRead)?
        var lastHeard = ContinuousClock.now
        var lastSign = ContinuousClock.now
        var nextTry = ContinuousClock.now
        var wait: Duration
        var isClosed = false
    }

    /// When others are told.
    private struct Telling: Sendable {
        var isDue = false
        var last: ContinuousClock.Instant?
    }

    private let settings: Settings
    private let times: Times
    private let listen: Statement
    private let message: Statement
    private let sign: Statement
    private let name: String
    private let heard: @Sendable () -> Void
    private let telling = Mutex(Telling())
    private let queue = DispatchQueue(label: "postgresql-listener")
    /// Any thread may call it.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    /// Used on the queue alone.
    private nonisolated(unsafe) var state: State

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - settings: The way to the database.
    ///   - listen: A `LISTEN` statement.
    ///   - tell: A statement that tells something on the same channel, with the text of its only parameter.
    ///   - times: The times.
    ///   - heard: Called when another listener has told something, and after each new connection.
    package init(
        _ settings: Settings,
        listen: StaticString,
        tell: StaticString,
        times: Times = Times(),
        heard: @escaping @Sendable () -> Void
    ) {
        var settings = settings
        settings.pipelines = false
        settings.preparesStatements = false
        // A server that falls silent just before a sign is given up as soon as any other.
        settings.answerTime = times.silence - times.sign
        self.settings = settings
        self.times = times
        self.heard = heard
        name = "\(UInt64.random(in: 0 ... .max))"
        self.listen = Statement(listen)
        message = Statement(tell, [.text(name)])
        // Others take no notice of it.
        sign = Statement(tell, [.text("=" + name)])
        state = State(wait: times.firstWait)
        timer = DispatchSource.makeTimerSource(queue: queue)
        let step = DispatchTimeInterval.milliseconds(Int(times.sign / .milliseconds(1)) / 3)
        timer.schedule(deadline: .now(), repeating: step)
        timer.setEventHandler { [weak self] in self?.step() }
        timer.resume()
    }

    deinit {
        timer.cancel()
        state.source?.cancel()
    }

    /// Tells the others soon that something has changed.
    package func tell() {
        let wait = telling.withLock { telling -> Duration? in
            guard !telling.isDue else { return nil }
            telling.isDue = true
            guard let last = telling.last else { return .zero }
            return max(ContinuousClock.now.duration(to: last + times.pause), .zero)
        }
        guard let wait else { return }
        let deadline = DispatchTime.now() + .microseconds(Int(wait / .microseconds(1)))
        queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.telling.withLock { $0 = Telling(isDue: false, last: .now) }
            guard let self else { return }
            send(message)
        }
    }

    /// Ends the connection, and makes no other.
    package func close() {
        timer.cancel()
        queue.sync {
            state.isClosed = true
            drop()
        }
    }

    // MARK: On the queue

    private func step() {
        guard !state.isClosed else { return }
        let now = ContinuousClock.now
        if state.connection != nil, state.lastHeard + times.silence < now { fail() }
        if state.connection == nil, state.nextTry <= now { connect() }
        if state.connection != nil, state.lastSign + times.sign <= now {
            state.lastSign = now
            send(sign)
        }
    }

    private func connect() {
        do {
            let connection = try Connection(settings)
            _ = try connection.run(listen)
            let socket = try connection.copyOfSocket()
            let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            source.setEventHandler { [weak self] in self?.take() }
            source.setCancelHandler { _ = LibC.close(socket) }
            source.resume()
            state.connection = connection
            state.source = source
            state.lastHeard = .now
            // What was told before is not heard.
            heard()
        } catch {
            fail()
        }
    }

    private func send(_ statement: Statement) {
        guard let connection = state.connection else { return }
        do {
            _ = try connection.run(statement)
        } catch {
            return fail()
        }
        // Something may have come with the answer.
        take()
    }

    private func take() {
        guard let connection = state.connection else { return }
        do {
            let texts = try connection.takeNotifications()
            guard !texts.isEmpty else { return }
            state.lastHeard = .now
            state.wait = times.firstWait
            if texts.contains(where: { $0 != name && !$0.hasPrefix("=") }) { heard() }
        } catch {
            fail()
        }
    }

    /// Gives the connection up, and has another made later.
    private func fail() {
        drop()
        state.nextTry = .now + state.wait
        state.wait = min(state.wait * 2, times.longestWait)
    }

    private func drop() {
        state.source?.cancel()
        state.source = nil
        state.connection?.giveUp()
        state.connection = nil
    }
}
