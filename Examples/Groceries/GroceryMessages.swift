import Foundation
import OfflineFirst
import OutboxCore
import SyncCore

// The bodies of the three calls, as JSON. Kinds and names of fields are texts in this app; identifiers
// and values are bytes, in Base64.

struct StampBody: Codable {
    let time: Int64
    let number: UInt64
    let node: [UInt64]

    init(_ stamp: Stamp) {
        time = stamp.time.millisecondsSinceEpoch
        number = stamp.id.number
        node = [stamp.id.node.high, stamp.id.node.low]
    }

    func stamp() throws -> Stamp {
        guard node.count == 2 else { throw MalformedBody() }
        return Stamp(
            time: WallTime(millisecondsSinceEpoch: time),
            id: ChangeID(number: number, node: NodeID(high: node[0], low: node[1]))
        )
    }
}

struct FieldBody: Codable {
    let name: String
    let value: Data
    let stamp: StampBody

    init(_ field: Field) {
        name = String(decoding: field.name, as: UTF8.self)
        value = Data(field.value)
        stamp = StampBody(field.stamp)
    }

    func field() throws -> Field {
        Field(name: Array(name.utf8), value: Array(value), stamp: try stamp.stamp())
    }
}

struct RowBody: Codable {
    let kind: String
    let id: Data
    let version: UInt64
    let fields: [FieldBody]
    let deletion: StampBody?
    let createdAs: Data

    init(_ row: Row) {
        kind = String(decoding: row.key.kind, as: UTF8.self)
        id = Data(row.key.id)
        version = row.version
        fields = row.fields.map { FieldBody($0) }
        deletion = row.deletion.map { StampBody($0) }
        createdAs = Data(row.createdAs)
    }

    func row() throws -> Row {
        Row(
            key: RecordKey(kind: Array(kind.utf8), id: Array(id)),
            version: version,
            fields: try fields.map { try $0.field() },
            deletion: try deletion?.stamp(),
            createdAs: Array(createdAs)
        )
    }
}

struct PullBody: Codable {
    let cursor: Data?
}

struct PageBody: Codable {
    let rows: [RowBody]
    let cursor: Data
    let hasMore: Bool
}

struct PushBody: Codable {
    enum Action: String, Codable { case create, update, put, delete }

    let stamp: StampBody
    let attempt: UInt32
    let kind: String
    let id: Data
    let madeOn: UInt64
    let action: Action
    let fields: [FieldBody]
    let settledThrough: UInt64

    init(_ request: PushRequest) {
        stamp = StampBody(request.stamp)
        attempt = request.attempt
        kind = String(decoding: request.key.kind, as: UTF8.self)
        id = Data(request.key.id)
        madeOn = request.madeOn
        action =
            switch request.write {
            case .create: .create
            case .update: .update
            case .put: .put
            case .delete: .delete
            }
        fields = request.write.fields.map { FieldBody($0) }
        settledThrough = request.settledThrough
    }

    func request() throws -> PushRequest {
        let fields = try fields.map { try $0.field() }
        let write: Write =
            switch action {
            case .create: .create(fields)
            case .update: .update(fields)
            case .put: .put(fields)
            case .delete: .delete
            }
        return PushRequest(
            stamp: try stamp.stamp(),
            attempt: attempt,
            key: RecordKey(kind: Array(kind.utf8), id: Array(id)),
            madeOn: madeOn,
            write: write,
            settledThrough: settledThrough
        )
    }
}

struct QuestionBody: Codable {
    let number: UInt64
    let node: [UInt64]
    let attempt: UInt32
    let digest: UInt64

    init(_ question: AskRequest) {
        number = question.id.number
        node = [question.id.node.high, question.id.node.low]
        attempt = question.attempt
        digest = question.digest
    }

    func question() throws -> AskRequest {
        guard node.count == 2 else { throw MalformedBody() }
        let id = ChangeID(number: number, node: NodeID(high: node[0], low: node[1]))
        return AskRequest(id: id, attempt: attempt, digest: digest)
    }
}

enum AnswerBody: Codable {
    case accepted(id: Data, version: UInt64, stamp: StampBody)
    case conflict(row: RowBody?, stamp: StampBody)
    case refused(reason: String, row: RowBody?)
    case newNode

    init(_ answer: PushAnswer) {
        switch answer {
        case .accepted(let id, let version, let stamp):
            self = .accepted(id: Data(id), version: version, stamp: StampBody(stamp))
        case .conflict(let row, let stamp):
            self = .conflict(row: row.map { RowBody($0) }, stamp: StampBody(stamp))
        case .refused(let reason, let row):
            let code = String(decoding: reason.code, as: UTF8.self)
            self = .refused(reason: code, row: row.map { RowBody($0) })
        case .newNode: self = .newNode
        }
    }

    func answer() throws -> PushAnswer {
        switch self {
        case .accepted(let id, let version, let stamp):
            .accepted(id: Array(id), version: version, stamp: try stamp.stamp())
        case .conflict(let row, let stamp):
            .conflict(try row?.row(), stamp: try stamp.stamp())
        case .refused(let reason, let row):
            .refused(RefusalReason(code: Array(reason.utf8)), try row?.row())
        case .newNode: .newNode
        }
    }
}

/// An answer with the server's wall clock.
struct TimedBody<Content: Codable>: Codable {
    let content: Content
    let time: Int64
}

/// A body that no device, and no server, of this app has made.
struct MalformedBody: Error {}
