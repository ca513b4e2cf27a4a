internal import OutboxCore

/// A request for the rows behind a cursor.
public struct PullRequest: Hashable, Sendable {
    /// The number of the request, by which its answer is told from the answer of an earlier one.
    public let number: UInt64
    /// The cursor of the last page; `nil` for all rows from the beginning.
    public let cursor: [UInt8]?

    /// Makes a request.
    public init(number: UInt64, cursor: [UInt8]?) {
        self.number = number
        self.cursor = cursor
    }
}

/// The answer to a ``PullRequest``.
public enum PullAnswer: Hashable, Sendable {
    /// Rows and tombstones behind the cursor, the cursor behind them, and whether there are more.
    case page([Row], cursor: [UInt8], hasMore: Bool)
    /// The server has dropped what lies behind this cursor: everything is pulled from the beginning.
    case cursorForgotten
}

/// A change of one record, to be applied as a whole or not at all.
public enum Write: Hashable, Sendable {
    /// Creates a record of these fields. The request's key has a temporary identifier.
    case create([Field])
    /// Writes these fields of an existing record.
    case update([Field])
    /// Writes these fields of a record, which exists afterwards: restores it after a deletion, or
    /// makes it under a name that the app gave.
    case put([Field])
    /// Deletes the record.
    case delete

    /// The values that are written.
    public var fields: [Field] {
        switch self {
        case .create(let fields), .update(let fields), .put(let fields): fields
        case .delete: []
        }
    }

    fileprivate var number: UInt64 {
        switch self {
        case .create: 1
        case .update: 2
        case .put: 3
        case .delete: 4
        }
    }
}

/// A request to apply one change.
public final class PushRequest: Hashable, Sendable {
    /// The stamp of the change, which contains its identity.
    public let stamp: Stamp
    /// The attempt: another attempt has another content, made after a conflict.
    public let attempt: UInt32
    /// The record.
    public let key: RecordKey
    /// The version of the row that the change was made on; 0 if there was no row.
    public let madeOn: UInt64
    /// The change.
    public let write: Write
    /// The number through which all changes of this node are settled: the server may forget its
    /// answers to them.
    public let settledThrough: UInt64

    /// Makes a request.
    public init(
        stamp: Stamp,
        attempt: UInt32,
        key: RecordKey,
        madeOn: UInt64,
        write: Write,
        settledThrough: UInt64
    ) {
        self.stamp = stamp
        self.attempt = attempt
        self.key = key
        self.madeOn = madeOn
        self.write = write
        self.settledThrough = settledThrough
    }

    public static func == (left: PushRequest, right: PushRequest) -> Bool {
        left === right
            || left.stamp == right.stamp && left.attempt == right.attempt && left.key == right.key
                && left.madeOn == right.madeOn && left.write == right.write
                && left.settledThrough == right.settledThrough
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(stamp)
        hasher.combine(attempt)
        hasher.combine(key)
        hasher.combine(madeOn)
        hasher.combine(write)
        hasher.combine(settledThrough)
    }

    /// A checksum of the change's content, by which the server tells a repetition from the change of
    /// a clone. Not of ``settledThrough``, which may differ between repetitions.
    ///
    /// - Complexity: O(*n*) for *n* bytes of content.
    public var digest: UInt64 {
        var digest = Digest()
        digest.add(UInt64(bitPattern: stamp.time.millisecondsSinceEpoch))
        digest.add(UInt64(attempt))
        digest.add(key.kind)
        digest.add(key.id)
        digest.add(madeOn)
        digest.add(write.number)
        for field in write.fields {
            digest.add(field.name)
            digest.add(field.value)
        }
        return digest.value
    }

    /// The question for the answer to this request.
    public var question: AskRequest {
        AskRequest(id: stamp.id, attempt: attempt, digest: digest)
    }
}

/// A question for the answer to an earlier push, which was lost.
public struct AskRequest: Hashable, Sendable {
    /// The change.
    public let id: ChangeID
    /// The attempt.
    public let attempt: UInt32
    /// The checksum of the change's content.
    public let digest: UInt64

    /// Makes a question.
    public init(id: ChangeID, attempt: UInt32, digest: UInt64) {
        self.id = id
        self.attempt = attempt
        self.digest = digest
    }
}

/// The answer to a push.
public enum PushAnswer: Hashable, Sendable {
    /// The change is applied. The row has this version now, and this identifier, which is new for a
    /// record that was created.
    case accepted(id: [UInt8], version: UInt64, stamp: Stamp)
    /// Nothing was applied: the row, which is `nil` if the server has none, is not the one that the
    /// change was made on.
    case conflict(Row?, stamp: Stamp)
    /// Nothing was applied, and this content never will be on this row.
    case refused(RefusalReason, Row?)
    /// Nothing was applied: the number belongs to another content. The device takes a new node.
    case newNode
}

/// A reason for a refusal: a short stable code of the server, such as `too-long`. Not a text for a
/// person, and never the person's words.
public struct RefusalReason: Hashable, Sendable {
    /// The code in UTF-8.
    public let code: [UInt8]

    /// Makes a reason of the server.
    public init(code: [UInt8]) {
        self.code = code
    }

    /// The record that a field refers to was never created: a person discarded it.
    public static var referenceDiscarded: RefusalReason {
        "sync.reference-discarded"
    }
    /// Another device changed the same fields, and the policy leaves the choice to a person; or the
    /// app's own merge had no valid result.
    public static var conflict: RefusalReason { "sync.conflict" }
    /// The server says that the row differs, and shows the very row that the change was made on.
    public static var contradiction: RefusalReason {
        "sync.contradiction"
    }
}

extension RefusalReason: ExpressibleByStringLiteral {
    public init(stringLiteral value: StaticString) {
        self.init(code: value.withUTF8Buffer { Array($0) })
    }
}

/// FNV-1a with the length before each part.
struct Digest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(never)
    mutating func add(_ number: UInt64) {
        var rest = number
        for _ in 0..<8 {
            value = (value ^ (rest & 0xFF)) &* 0x100_0000_01B3
            rest >>= 8
        }
    }

    @inline(never)
    mutating func add(_ bytes: [UInt8]) {
        add(UInt64(bytes.count))
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
