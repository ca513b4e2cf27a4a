public import SyncCore

/// `{"number": NUMBER, "cursor": BYTES}`; the cursor only behind the first page.
extension PullRequest: Codable {
    private enum Key: String, CodingKey { case number, cursor }

    /// Reads a request.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            number: try container.decode(UInt64.self, forKey: .number),
            cursor: try container.bytesIfPresent(.cursor)
        )
    }

    /// Writes the request.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number, forKey: .number)
        if let cursor { try container.encode(cursor, .cursor) }
    }
}

/// `{"answer": "page", "rows": [ROW, …], "cursor": BYTES, "hasMore": BOOLEAN}`, or
/// `{"answer": "cursorForgotten"}`.
extension PullAnswer: Codable {
    private enum Key: String, CodingKey { case answer, rows, cursor, hasMore }
    private enum Name: String, Codable { case page, cursorForgotten }

    /// Reads an answer. One of another name is an error, and no answer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(Name.self, forKey: .answer) {
        case .page:
            self = .page(
                try container.decode([Row].self, forKey: .rows),
                cursor: try container.bytes(.cursor),
                hasMore: try container.decode(Bool.self, forKey: .hasMore)
            )
        case .cursorForgotten: self = .cursorForgotten
        }
    }

    /// Writes the answer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .page(let rows, let cursor, let hasMore):
            try container.encode(Name.page, forKey: .answer)
            try container.encode(rows, forKey: .rows)
            try container.encode(cursor, .cursor)
            try container.encode(hasMore, forKey: .hasMore)
        case .cursorForgotten: try container.encode(Name.cursorForgotten, forKey: .answer)
        }
    }
}

/// `{"stamp": STAMP, "attempt": NUMBER, "key": KEY, "madeOn": NUMBER, "write": NAME, "fields": [FIELD, …],
/// "settledThrough": NUMBER}`, where the name is `create`, `update`, `put` or `delete`.
extension PushRequest: Codable {
    private enum Key: String, CodingKey {
        case stamp, attempt, key, madeOn, write, fields, settledThrough
    }
    private enum Name: String, Codable { case create, update, put, delete }

    private var name: Name {
        switch write {
        case .create: .create
        case .update: .update
        case .put: .put
        case .delete: .delete
        }
    }

    /// Reads a request.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let fields = try container.fields(.fields)
        let write: Write =
            switch try container.decode(Name.self, forKey: .write) {
            case .create: .create(fields)
            case .update: .update(fields)
            case .put: .put(fields)
            case .delete: .delete
            }
        self.init(
            stamp: try container.decode(Stamp.self, forKey: .stamp),
            attempt: try container.decode(UInt32.self, forKey: .attempt),
            key: try container.decode(RecordKey.self, forKey: .key),
            madeOn: try container.decode(UInt64.self, forKey: .madeOn),
            write: write,
            settledThrough: try container.decode(UInt64.self, forKey: .settledThrough)
        )
    }

    /// Writes the request.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(stamp, forKey: .stamp)
        try container.encode(attempt, forKey: .attempt)
        try container.encode(key, forKey: .key)
        try container.encode(madeOn, forKey: .madeOn)
        try container.encode(name, forKey: .write)
        try container.encode(write.fields, forKey: .fields)
        try container.encode(settledThrough, forKey: .settledThrough)
    }
}

/// `{"change": CHANGE, "attempt": NUMBER, "digest": WORD}`.
extension AskRequest: Codable {
    private enum Key: String, CodingKey { case change, attempt, digest }

    /// Reads a question.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try container.decode(ChangeID.self, forKey: .change),
            attempt: try container.decode(UInt32.self, forKey: .attempt),
            digest: try container.word(.digest)
        )
    }

    /// Writes the question.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .change)
        try container.encode(attempt, forKey: .attempt)
        try container.encodeWord(digest, .digest)
    }
}

/// `{"answer": "accepted", "id": BYTES, "version": NUMBER, "stamp": STAMP}`,
/// `{"answer": "conflict", "row": ROW, "stamp": STAMP}`, `{"answer": "refused", "reason": CODE, "row": ROW}`
/// or `{"answer": "newNode"}`; a row only where the server has one.
extension PushAnswer: Codable {
    private enum Key: String, CodingKey { case answer, id, version, stamp, row, reason }
    private enum Name: String, Codable { case accepted, conflict, refused, newNode }

    /// Reads an answer. One of another name is an error, and no answer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(Name.self, forKey: .answer) {
        case .accepted:
            self = .accepted(
                id: try container.bytes(.id),
                version: try container.decode(UInt64.self, forKey: .version),
                stamp: try container.decode(Stamp.self, forKey: .stamp)
            )
        case .conflict:
            self = .conflict(
                try container.decodeIfPresent(Row.self, forKey: .row),
                stamp: try container.decode(Stamp.self, forKey: .stamp)
            )
        case .refused:
            let code = try container.decode(String.self, forKey: .reason)
            self = .refused(
                RefusalReason(code: Array(code.utf8)),
                try container.decodeIfPresent(Row.self, forKey: .row)
            )
        case .newNode: self = .newNode
        }
    }

    /// Writes the answer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .accepted(let id, let version, let stamp):
            try container.encode(Name.accepted, forKey: .answer)
            try container.encode(id, .id)
            try container.encode(version, forKey: .version)
            try container.encode(stamp, forKey: .stamp)
        case .conflict(let row, let stamp):
            try container.encode(Name.conflict, forKey: .answer)
            try container.encodeIfPresent(row, forKey: .row)
            try container.encode(stamp, forKey: .stamp)
        case .refused(let reason, let row):
            try container.encode(Name.refused, forKey: .answer)
            try container.encode(String(decoding: reason.code, as: UTF8.self), forKey: .reason)
            try container.encodeIfPresent(row, forKey: .row)
        case .newNode: try container.encode(Name.newNode, forKey: .answer)
        }
    }
}
