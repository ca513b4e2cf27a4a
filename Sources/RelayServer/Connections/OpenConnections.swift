import NIOCore
import Synchronization

/// The open connections of a relay. Closes the idlest one when there are more than the maximum.
///
/// The idlest connection is the one whose last request ended, or that was opened, the longest time
/// ago. A connection with a request in work counts as idle for an eighth of the time since the
/// request began: a flood of connections without requests does not close it, and a client that
/// never ends its request or never reads the answer does not stay.
final class OpenConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        var isBusy = false
        var since: NIODeadline

        var isTurnedAway = false

        func idleness(at now: NIODeadline) -> Int64 {
            if isTurnedAway { return .max }
            let time = (now - since).nanoseconds
            return isBusy ? time / 8 : time
        }
    }

    /// The number of connections beyond which the idlest one is closed.
    let maximum: Int
    private let now: @Sendable () -> NIODeadline
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    init(maximum: Int, now: @escaping @Sendable () -> NIODeadline = NIODeadline.now) {
        self.maximum = maximum
        self.now = now
    }

    /// Adds a connection, and closes the idlest of the others when there are too many.
    ///
    /// - Complexity: O(number of connections) when there are too many.
    func opened(_ channel: any Channel) {
        let idlest = connections.withLock { connections -> (any Channel)? in
            let idlest = connections.count >= maximum ? removeIdlest(&connections) : nil
            connections[ObjectIdentifier(channel)] = Connection(channel: channel, since: now())
            return idlest
        }
        idlest?.close(promise: nil)
    }

    func closed(_ channel: any Channel) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Notes that a request has begun, or that the last one has been answered.
    func changed(_ channel: any Channel, isBusy: Bool) {
        connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.isBusy = isBusy
            connections[ObjectIdentifier(channel)]?.since = now()
        }
    }

    /// Notes that a connection only waits for its end: it is the idlest.
    func turnedAway(_ channel: any Channel) {
        connections.withLock { $0[ObjectIdentifier(channel)]?.isTurnedAway = true }
    }

    /// Closes an eighth of the connections, the idlest, at least one: the system lacks open files.
    func makeRoom() {
        let idlest = connections.withLock { connections in
            (0..<(connections.count + 7) / 8).compactMap { _ in removeIdlest(&connections) }
        }
        for channel in idlest { channel.close(promise: nil) }
    }

    /// Closes all connections.
    func closeAll() {
        let all = connections.withLock { connections in
            defer { connections = [:] }
            return connections.values.map(\.channel)
        }
        for channel in all { channel.close(promise: nil) }
    }

    private func removeIdlest(
        _ connections: inout [ObjectIdentifier: Connection]
    ) -> (any Channel)? {
        let now = now()
        let idlest = connections.max { $0.value.idleness(at: now) < $1.value.idleness(at: now) }
        return idlest.flatMap { connections.removeValue(forKey: $0.key) }?.channel
    }
}
