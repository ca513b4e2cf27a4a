import NIOCore
import Synchronization

/// The open connections of a relay. Closes the idlest one when there are more than the maximum.
///
/// The idlest connection is the one whose last request ended, or that was opened, the longest time
/// ago. A connection with a request in work counts as idle for an eighth of the time since the
/// request began: a flood of connections without requests does not close it, and a client that
/// never ends its request or never reads the answer does not stay.
///
/// Connections that only wait for their end, so that a client that still sends can read its answer,
/// are idler than all others.
final class OpenConnections: Sendable {
    /// The number of connections beyond which the idlest one is closed.
    let maximum: Int
    /// The requests on these connections.
    let requests = RunningRequests()
    private let now: @Sendable () -> NIODeadline
    private let table = Mutex(ConnectionTable())

    init(maximum: Int, now: @escaping @Sendable () -> NIODeadline = NIODeadline.now) {
        self.maximum = maximum
        self.now = now
    }

    /// Adds a connection, and closes the idlest of the others when there are too many.
    func opened(_ channel: any Channel) {
        let idlest = table.withLock { table -> (any Channel)? in
            let idlest = table.count >= maximum ? table.removeIdlest(at: now()) : nil
            table.add(channel, at: now())
            return idlest
        }
        idlest?.close(promise: nil)
    }

    func closed(_ channel: any Channel) {
        table.withLock { $0.remove(channel) }
    }

    /// Notes that a request has begun, or that the last one has been answered.
    func changed(_ channel: any Channel, isBusy: Bool) {
        table.withLock { $0.move(channel, to: isBusy ? .busy : .idle, at: now()) }
    }

    /// Notes that a connection only waits for its end: it is the idlest.
    func turnedAway(_ channel: any Channel) {
        table.withLock { $0.move(channel, to: .leaving, at: now()) }
    }

    /// Closes an eighth of the connections, the idlest, at least one: the system lacks open files.
    func makeRoom() {
        let idlest = table.withLock { table in
            (0..<(table.count + 7) / 8).compactMap { _ in table.removeIdlest(at: now()) }
        }
        for channel in idlest { channel.close(promise: nil) }
    }

    /// Whether no connection is open, and no request in work.
    var isEmpty: Bool { requests.isEmpty && table.withLock { $0.count } == 0 }

    /// Closes all connections.
    func closeAll() {
        let all = table.withLock { table in
            defer { table = ConnectionTable() }
            return table.channels
        }
        for channel in all { channel.close(promise: nil) }
    }
}

/// Connections by their condition, and of each condition the oldest first.
///
/// - Complexity: Of each method O(1) amortised.
private struct ConnectionTable {
    enum Condition: Int, CaseIterable {
        /// Without a request in work.
        case idle
        case busy
        /// Waits for its end only.
        case leaving
    }

    private struct Connection {
        let channel: any Channel
        var since: NIODeadline
        /// The number of the change to its condition.
        var change: Int
        var isLeaving = false
    }

    /// A change to a condition. The connection may have gone, or changed again.
    private struct Change {
        let connection: ObjectIdentifier
        let number: Int
    }

    private var connections: [ObjectIdentifier: Connection] = [:]
    /// The changes to each condition, in their order.
    private var changes = Condition.allCases.map { _ in CircularBuffer<Change>() }
    private var lastChange = 0

    var count: Int { connections.count }

    var channels: [any Channel] { connections.values.map(\.channel) }

    mutating func add(_ channel: any Channel, at now: NIODeadline) {
        connections[ObjectIdentifier(channel)] = Connection(channel: channel, since: now, change: 0)
        move(channel, to: .idle, at: now)
    }

    /// Changes the condition of a connection that is here. One that leaves goes on to leave.
    mutating func move(_ channel: any Channel, to condition: Condition, at now: NIODeadline) {
        let id = ObjectIdentifier(channel)
        guard var connection = connections[id], !connection.isLeaving else { return }
        lastChange += 1
        connection.isLeaving = condition == .leaving
        connection.since = now
        connection.change = lastChange
        connections[id] = connection
        let index = condition.rawValue
        changes[index].append(Change(connection: id, number: lastChange))
        if changes[index].count > 2 * count + 64 {
            let connections = connections
            changes[index].removeAll { connections[$0.connection]?.change != $0.number }
        }
    }

    mutating func remove(_ channel: any Channel) {
        _ = remove(ObjectIdentifier(channel))
    }

    /// Removes the connection that is in a condition for the longest time.
    private mutating func removeOldest(_ condition: Condition) -> (any Channel)? {
        oldest(condition).flatMap { remove(ObjectIdentifier($0.channel)) }
    }

    mutating func removeIdlest(at now: NIODeadline) -> (any Channel)? {
        if let leaving = removeOldest(.leaving) { return leaving }
        let (idle, busy) = (oldest(.idle), oldest(.busy))
        let idleTime = idle.map { (now - $0.since).nanoseconds } ?? -1
        let busyTime = busy.map { (now - $0.since).nanoseconds / 8 } ?? -1
        return removeOldest(busyTime > idleTime ? .busy : .idle)
    }

    private mutating func oldest(_ condition: Condition) -> Connection? {
        let index = condition.rawValue
        while let change = changes[index].first {
            if let connection = connections[change.connection], connection.change == change.number {
                return connection
            }
            changes[index].removeFirst()
        }
        return nil
    }

    private mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
        connections.removeValue(forKey: id)?.channel
    }
}
