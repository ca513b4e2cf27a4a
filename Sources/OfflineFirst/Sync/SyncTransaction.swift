public import OutboxCore
public import SQLite
import StoreCore
public import SyncCore

/// Edits of one transaction, see ``SyncedRecords/change(_:)``: all of them are stored, or none.
public struct SyncTransaction<Rules: SyncRules & Sendable>: ~Copyable {
    /// The transaction, for tables of the app. What is written by it is stored with the edits.
    public let database: Connection

    var machine: SyncedRecords<Rules>.Machine
    var effects: [SyncEffect] = []
    /// The records for which an operation is to be enqueued.
    var toSend: [RecordKey] = []
    var acknowledged: [Int64] = []
    /// The changes whose requests this process has under way.
    let underWay: Set<ChangeID>
    let now: WallTime
    private let random: (@Sendable () -> UInt64)?
    /// The number of changes that may be added.
    private(set) var room: Int

    init(
        _ machine: consuming SyncedRecords<Rules>.Machine,
        _ database: Connection,
        underWay: Set<ChangeID>,
        room: Int,
        now: WallTime,
        random: (@Sendable () -> UInt64)?
    ) {
        self.machine = machine
        self.database = database
        self.underWay = underWay
        self.room = room
        self.now = now
        self.random = random
    }

    /// The record as it is shown with the edits before this call; `nil` if there is none.
    public func record(_ key: RecordKey) -> ShownRecord? {
        machine.shown[EntityID(machine.name(key))]
    }

    /// The time of the last complete pull by any process, by the server's clock; `nil` before the first one.
    public var lastPulled: WallTime? { machine.meta.lastPulled }

    /// Creates a record, see ``SyncedRecords/create(_:_:)``.
    public mutating func create(
        _ kind: String,
        _ values: [Field]
    ) throws(SyncEditError) -> RecordKey {
        let key = RecordKey(kind: Array(kind.utf8), id: temporaryIdentifier())
        try checkRoom()
        note(key, try machine.create(key, values, now: now))
        return key
    }

    /// Writes fields of a record, see ``SyncedRecords/update(_:_:)``.
    public mutating func update(_ key: RecordKey, _ values: [Field]) throws(SyncEditError) {
        try checkRoom()
        note(key, try machine.update(key, values, now: now))
    }

    /// Makes a record exist with these fields, see ``SyncedRecords/put(_:_:)``.
    public mutating func put(_ key: RecordKey, _ values: [Field]) throws(SyncEditError) {
        try checkRoom()
        note(key, try machine.put(key, values, now: now))
    }

    /// Deletes a record, see ``SyncedRecords/delete(_:)``.
    public mutating func delete(_ key: RecordKey) throws(SyncEditError) {
        try checkRoom()
        note(key, try machine.delete(key, now: now))
    }

    private mutating func note(_ key: RecordKey, _ effects: [SyncEffect]) {
        self.effects += effects
        // An edit that changes nothing makes no change.
        guard !effects.isEmpty else { return }
        toSend.append(machine.name(key))
        room -= 1
    }

    private func checkRoom() throws(SyncEditError) {
        guard room > 0 else { throw .full }
    }

    /// 128 random bits.
    private func temporaryIdentifier() -> [UInt8] {
        if let random { return (0..<16).map { _ in UInt8(truncatingIfNeeded: random()) } }
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    }
}
