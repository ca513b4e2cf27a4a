import Foundation
import OutboxCore
import SQLite
import SyncCore
import SyncMessages

/// The server's records, and its answers, in one database. Everything that a server owes to a device is
/// in this file; the duties are numbered as in `Sources/SyncCore/SyncServer.swift`.
///
/// Each push is one transaction, on the disk before the answer leaves: a server that is killed knows
/// afterwards what it has answered.
actor GroceryStore {
    private let database: Connection
    private static let pageSize = 50
    private static let longestName = 40

    init(folder: String) throws {
        database = try Connection(path: folder + "/server.sqlite")
        // Tombstones stay: no cursor is ever forgotten, and no version is given twice.
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS record(
                kind BLOB NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL UNIQUE,
                created_as BLOB NOT NULL, row BLOB NOT NULL, PRIMARY KEY(kind, id)
            );
            CREATE INDEX IF NOT EXISTS record_created ON record(kind, created_as);
            CREATE TABLE IF NOT EXISTS heard(
                node BLOB NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,
                digest INTEGER NOT NULL, time INTEGER NOT NULL, answer BLOB NOT NULL,
                PRIMARY KEY(node, number)
            );
            CREATE TABLE IF NOT EXISTS settled(
                node BLOB PRIMARY KEY, number INTEGER NOT NULL, time INTEGER NOT NULL
            );
            """
        )
    }

    // MARK: Pull

    /// The rows behind a cursor, by their versions: duty 6. A cursor is the version of the last row.
    func pull(after cursor: [UInt8]?) throws -> PullAnswer {
        let last = cursor.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
        let found = try database.query(
            "SELECT row, version FROM record WHERE version > ? ORDER BY version LIMIT ?",
            .integer(last),
            .integer(Int64(Self.pageSize) + 1)
        ) { (row: try Self.decode(Row.self, $0.blob(0)), version: $0.integer(1)) }
        let page = found.prefix(Self.pageSize)
        return .page(
            page.map(\.row),
            cursor: Array("\(page.last?.version ?? last)".utf8),
            hasMore: found.count > page.count
        )
    }

    // MARK: Push

    /// A push that was answered before.
    private struct Heard {
        let attempt: Int64
        let digest: Int64
        let time: Int64
        let answer: PushAnswer
    }

    /// Applies a change once, and keeps the answer.
    func push(_ request: PushRequest, now: WallTime) throws -> PushAnswer {
        try database.transaction {
            let id = request.stamp.id
            // Duty 4.
            if id.number <= (try settled(id.node).number) { return .newNode }
            let heard = try heard(id)
            if let heard {
                // Duty 2.
                if heard.attempt == request.attempt { return answer(heard, request.digest) }
                if heard.attempt > request.attempt { return .newNode }
                if case .accepted = heard.answer { return .newNode }
            }
            try settle(id.node, through: request.settledThrough)
            let time = try heard?.time ?? clamped(request.stamp, now)
            let stamp = Stamp(time: WallTime(millisecondsSinceEpoch: time), id: id)
            let answer = try apply(request, stamp)
            try database.run(
                "INSERT OR REPLACE INTO heard VALUES (?, ?, ?, ?, ?, ?)",
                .blob(bytes(id.node)),
                .integer(Int64(clamping: id.number)),
                .integer(Int64(request.attempt)),
                .integer(Int64(bitPattern: request.digest)),
                .integer(time),
                .blob(try Self.encode(answer))
            )
            return answer
        }
    }

    /// The answer to an earlier push; `nil` if it never came.
    func answer(to question: AskRequest) throws -> PushAnswer? {
        if question.id.number <= (try settled(question.id.node).number) { return .newNode }
        guard let heard = try heard(question.id), heard.attempt >= question.attempt else {
            return nil
        }
        return heard.attempt > question.attempt ? .newNode : answer(heard, question.digest)
    }

    private func answer(_ heard: Heard, _ digest: UInt64) -> PushAnswer {
        heard.digest == Int64(bitPattern: digest) ? heard.answer : .newNode
    }

    private func heard(_ id: ChangeID) throws -> Heard? {
        try database.first(
            "SELECT attempt, digest, time, answer FROM heard WHERE node = ? AND number = ?",
            .blob(bytes(id.node)),
            .integer(Int64(clamping: id.number))
        ) {
            Heard(
                attempt: $0.integer(0),
                digest: $0.integer(1),
                time: $0.integer(2),
                answer: try Self.decode(PushAnswer.self, $0.blob(3))
            )
        }
    }

    /// The changes of a node that it has called settled, and the latest time that one of them got.
    private func settled(_ node: NodeID) throws -> (number: Int64, time: Int64) {
        try database.first(
            "SELECT number, time FROM settled WHERE node = ?",
            .blob(bytes(node))
        ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }

    /// Forgets the answers that the device has: duty 3.
    private func settle(_ node: NodeID, through number: UInt64) throws {
        let before = try settled(node)
        guard number > before.number else { return }
        let time = try database.first(
            "SELECT max(time) FROM heard WHERE node = ? AND number <= ?",
            .blob(bytes(node)),
            .integer(Int64(clamping: number))
        ) { $0.integer(0) }
        try database.run(
            "INSERT OR REPLACE INTO settled VALUES (?, ?, ?)",
            .blob(bytes(node)),
            .integer(Int64(clamping: number)),
            .integer(max(before.time, time ?? 0))
        )
        try database.run(
            "DELETE FROM heard WHERE node = ? AND number <= ?",
            .blob(bytes(node)),
            .integer(Int64(clamping: number))
        )
    }

    /// The time of a stamp that is heard first: not far in the future, and between the times of the
    /// node's changes before and behind it. Duty 7.
    private func clamped(_ stamp: Stamp, _ now: WallTime) throws -> Int64 {
        let node = Value.blob(bytes(stamp.id.node))
        let number = Value.integer(Int64(clamping: stamp.id.number))
        let behind = try database.first(
            "SELECT min(time) FROM heard WHERE node = ? AND number > ?",
            node,
            number
        ) { $0.optionalInteger(0) }
        let before = try database.first(
            "SELECT max(time) FROM heard WHERE node = ? AND number < ?",
            node,
            number
        ) { $0.optionalInteger(0) }
        var time = min(stamp.time, now.advanced(by: SyncClock.tolerance)).millisecondsSinceEpoch
        if let behind = behind ?? nil { time = min(time, behind) }
        return max(time, try settled(stamp.id.node).time, (before ?? nil) ?? 0)
    }

    // MARK: The records

    private func apply(_ request: PushRequest, _ stamp: Stamp) throws -> PushAnswer {
        var key = request.key
        var row = try find(key)
        switch request.write {
        case .create:
            // Duty 5.
            if let known = try created(key) { return .conflict(known, stamp: stamp) }
            row = nil
        case .update, .delete:
            if row == nil || row?.deletion != nil { return .conflict(row, stamp: stamp) }
        case .put: break
        }
        // Duty 1.
        if (row?.version ?? 0) != request.madeOn { return .conflict(row, stamp: stamp) }
        let name = request.write.fields[Array("name".utf8)]?.value ?? []
        if name.count > Self.longestName { return .refused("too-long", row) }
        let last = try database.first("SELECT max(version) FROM record") { $0.integer(0) } ?? 0
        var createdAs = row?.createdAs ?? []
        if case .create = request.write {
            createdAs = key.id
            key = RecordKey(kind: key.kind, id: Array("\(last + 1)".utf8))
        }
        let isDeletion = request.write == .delete
        var fields = row?.deletion == nil ? row?.fields ?? [] : []
        fields += request.write.fields.map {
            Field(name: $0.name, value: $0.value, stamp: stamp)
        }
        let after = SyncCore.Row(
            key: key,
            version: UInt64(last + 1),
            // The later one of two fields of one name stays.
            fields: isDeletion ? [] : fields,
            deletion: isDeletion ? stamp : nil,
            createdAs: createdAs
        )
        try database.run(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)",
            .blob(key.kind),
            .blob(key.id),
            .integer(last + 1),
            .blob(createdAs),
            .blob(try Self.encode(after))
        )
        return .accepted(id: key.id, version: after.version, stamp: stamp)
    }

    private func find(_ key: RecordKey) throws -> SyncCore.Row? {
        try database.first(
            "SELECT row FROM record WHERE kind = ? AND id = ?",
            .blob(key.kind),
            .blob(key.id)
        ) { try Self.decode(Row.self, $0.blob(0)) }
    }

    /// The record that a temporary identifier has created.
    private func created(_ key: RecordKey) throws -> SyncCore.Row? {
        try database.first(
            "SELECT row FROM record WHERE kind = ? AND created_as = ?",
            .blob(key.kind),
            .blob(key.id)
        ) { try Self.decode(Row.self, $0.blob(0)) }
    }

    private func bytes(_ node: NodeID) -> [UInt8] { Array("\(node.high) \(node.low)".utf8) }

    private static func encode(_ body: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(body))
    }

    private static func decode<Body: Decodable>(
        _ type: Body.Type,
        _ bytes: [UInt8]
    ) throws -> Body {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
