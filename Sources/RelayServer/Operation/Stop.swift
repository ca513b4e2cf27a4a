import Dispatch
import ServiceLifecycle
import Synchronization

/// The times of a stop, which begins with SIGTERM or SIGINT.
///
/// | from the beginning | event |
/// |---|---|
/// | at once | no connection is accepted, no mail begun; a mail whose final dot was not sent ends |
/// | after ``requests`` | all connections close, whatever their requests wait for |
/// | after ``all`` | the process ends, unless a mail server owes an answer |
/// | after ``mail`` | the process ends, though an answer that came until then may not be stored yet |
///
/// An end of the process loses nothing: an answer of 202 was sent only once the memo was stored. A mail
/// whose answer the relay did not read is handed over once more after the next start.
struct StopTimes: Hashable, Sendable {
    /// The time for the requests in work.
    var requests: Duration = .seconds(10)
    /// The time for the stop.
    var all: Duration = .seconds(55)
    /// The time for a stop in which a mail server owes the answer to a final dot.
    var mail: Duration = .seconds(100)

    /// The time in which a mail server may answer a final dot after its delivery is cancelled. Ends
    /// before ``mail``, so that the answer can be stored.
    static let answer: Duration = .seconds(90)
}

/// Services that run together, and are told of a stop at once, in their order. The group ends when
/// all have ended, or its deadline has passed.
struct StoppableServices: Service {
    let services: [any Service]
    let deadline: StopDeadline

    func run() async throws {
        defer { deadline.cancel() }
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try await service.run() } }
                while try await group.next() != nil {
                    // Without a stop, the one that ends first ends the others.
                    if !Task.isShuttingDownGracefully { group.cancelAll() }
                }
            }
        } onGracefulShutdown: { [deadline] in
            deadline.begin()
        }
    }
}

/// A server whose connections end some time after a stop has begun.
struct StoppableApplication<Base: Service>: Service {
    let base: Base
    let connections: OpenConnections
    let patience: Duration

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await base.run()
                // The server does not know the requests' tasks.
                while !connections.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            }
            group.addTask { try await closeConnections() }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Waits for a stop. Then closes the connections until the task is cancelled: one may have been
    /// accepted just before.
    private func closeConnections() async throws {
        try await gracefulShutdown()
        try await Task.sleep(for: patience)
        while true {
            connections.closeAll()
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

/// Ends the process when a stop takes too long: a disk that hangs ends with no connection.
final class StopDeadline: Sendable {
    private let times: StopTimes
    private let isMailOwed: @Sendable () -> Bool
    private let expired: @Sendable () -> Void
    /// No thread of Swift's tasks, all of which may be held.
    private let queue = DispatchQueue(label: "relay-stop")
    private let isCancelled = Mutex(false)

    /// - Parameters:
    ///   - isMailOwed: Whether a mail is on its way, and its server may have it.
    ///   - expired: Called once, when the time has passed.
    init(
        _ times: StopTimes,
        isMailOwed: @escaping @Sendable () -> Bool,
        expired: @escaping @Sendable () -> Void
    ) {
        self.times = times
        self.isMailOwed = isMailOwed
        self.expired = expired
    }

    /// The stop begins.
    func begin() {
        let start = DispatchTime.now()
        look(at: start.after(times.all), last: start.after(times.mail))
    }

    /// The stop has ended.
    func cancel() {
        isCancelled.withLock { $0 = true }
    }

    private func look(at time: DispatchTime, last: DispatchTime) {
        queue.asyncAfter(deadline: time) { [self] in
            guard !isCancelled.withLock({ $0 }) else { return }
            if time < last, isMailOwed() {
                // Not before: an answer that comes meanwhile has to be stored.
                look(at: last, last: last)
            } else {
                expired()
            }
        }
    }
}

extension DispatchTime {
    fileprivate func after(_ wait: Duration) -> DispatchTime {
        self + DispatchTimeInterval.milliseconds(Int(wait / .milliseconds(1)))
    }
}
