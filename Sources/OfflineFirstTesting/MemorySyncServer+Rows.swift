import OfflineFirst
import OutboxCore
public import SyncCore
import Synchronization

// The rows, as a test sees and changes them.
extension MemorySyncServer {
    /// The records that exist, in the order of their names.
    ///
    /// - Complexity: O(*n* log *n*) for *n* records.
    public var rows: [Row] {
        state.withLock { Array($0.server.live.values) }.sorted { $0.key < $1.key }
    }

    /// The records of a kind that exist, in the order of their identifiers.
    public func rows(of kind: String) -> [Row] {
        rows.filter { $0.key.kind == Array(kind.utf8) }
    }

    /// The row of a record; a tombstone for a deleted record; `nil` if the server has none.
    public subscript(key: RecordKey) -> Row? { state.withLock { $0.server.rows[key] } }

    /// The numbers of calls and of applied changes.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The pushes that have arrived, in their order, repeated ones included.
    public var pushes: [PushRequest] { state.withLock { $0.pushes } }

    // MARK: Changes of another device

    /// Creates a record, as another device does.
    ///
    /// - Returns: The record's name.
    @discardableResult
    public func create(_ kind: String, _ values: [Field]) -> RecordKey {
        var generator = SystemRandomNumberGenerator()
        let temporary = (0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        let key = RecordKey(kind: Array(kind.utf8), id: temporary)
        return RecordKey(kind: key.kind, id: change(key, .create(values)))
    }

    /// Writes fields of a record, as another device does. Traps if there is no such record.
    public func update(_ key: RecordKey, _ values: [Field]) { change(key, .update(values)) }

    /// Makes a record exist with these fields, as another device does.
    public func put(_ key: RecordKey, _ values: [Field]) { change(key, .put(values)) }

    /// Deletes a record, as another device does. Traps if there is no such record.
    public func delete(_ key: RecordKey) { change(key, .delete) }

    @discardableResult
    private func change(_ key: RecordKey, _ write: Write) -> [UInt8] {
        withServer { state in
            state.lastOwnNumber += 1
            let id = ChangeID(number: state.lastOwnNumber, node: NodeID(high: 0, low: 1))
            let request = PushRequest(
                stamp: Stamp(time: state.server.now, id: id),
                attempt: 1,
                key: key,
                madeOn: state.server.rows[key]?.version ?? 0,
                write: write,
                settledThrough: id.number - 1
            )
            guard case .accepted(let id, _, _) = state.push(request) else {
                preconditionFailure("the server has no such record")
            }
            return id
        }
    }

    // MARK: Servers of another time

    /// A copy of all that a server has.
    public struct Backup: Sendable {
        let server: ReferenceServer
    }

    /// A copy of all that the server has now.
    public func backup() -> Backup { Backup(server: state.withLock { $0.server }) }

    /// Takes the rows and the answers of an earlier backup. Versions go on from the last one that was ever
    /// given, and the server has forgotten all cursors, as a server must tell its devices after that.
    public func restore(_ backup: Backup) { state.withLock { $0.server.restore(backup.server) } }

    /// Forgets all tombstones: a device with an older cursor pulls everything from the beginning.
    public func dropTombstones() { state.withLock { $0.server.purge() } }
}

extension Row {
    /// The value of a field as text, ill-formed UTF-8 repaired; `nil` if the row has no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func text(_ name: String) -> String? {
        fields[Array(name.utf8)].map { String(decoding: $0.value, as: UTF8.self) }
    }
}
