/// A change of one record that a person has made, from the edit until the server's echo.
///
/// A change that a machine has handed out stays as it is: the machine goes on with a copy.
public final class SyncChange: @unchecked Sendable {
    /// A kind of change.
    public enum Intent: UInt8, Hashable, Sendable {
        /// Creates the record.
        case create = 1
        /// Writes fields of an existing record.
        case update = 2
        /// Writes fields of a record that exists afterwards, with the fields that the person saw.
        case put = 3
        /// Deletes the record.
        case delete = 4
    }

    /// A stage on a change's way.
    public enum State: UInt8, Hashable, Sendable {
        /// Not sent in its present form.
        case queued
        /// Sent, and an answer may come.
        case sending
        /// Sent, and no answer came: it may be applied or not.
        case unknown
        /// The server is being asked for the lost answer.
        case asking
        /// Applied at the server as ``SyncChange/version``; shown until a row of that version arrives.
        case accepted
        /// Not applied for the ``SyncChange/reason``, until a person chooses.
        case refused
    }

    /// The stamp of the change; the server's, once it has answered.
    public internal(set) var stamp: Stamp
    /// The attempt, from 0 on; another one after each conflict.
    public internal(set) var attempt: UInt32 = 0
    /// The version of the row that the person saw below the pending changes; 0 for none.
    public internal(set) var madeOn: UInt64
    /// The kind of change.
    public internal(set) var intent: Intent
    /// The values that the change writes, in the order of their names.
    public internal(set) var fields: [Field]
    /// The record as the person saw it, with the changes before this one; empty if there was none.
    public internal(set) var before: [Field]
    /// The stage.
    public package(set) var state = State.queued
    /// The version as which an accepted change was applied.
    public package(set) var version: UInt64 = 0
    /// The reason for which a change is refused.
    public package(set) var reason: RefusalReason?
    /// The row that the server answered with its refusal, if it answered one.
    public package(set) var met: Row?

    package init(
        stamp: Stamp,
        madeOn: UInt64,
        intent: Intent,
        fields: [Field],
        before: [Field]
    ) {
        self.stamp = stamp
        self.madeOn = madeOn
        self.intent = intent
        self.fields = fields
        self.before = before
    }

    /// A copy, to be changed in the other's place.
    init(copying other: SyncChange) {
        stamp = other.stamp
        attempt = other.attempt
        madeOn = other.madeOn
        intent = other.intent
        fields = other.fields
        before = other.before
        state = other.state
        version = other.version
        reason = other.reason
        met = other.met
    }

    /// The identity of the change.
    public var id: ChangeID { stamp.id }

    var isUnderWay: Bool { state == .sending || state == .asking }

    /// The fields of the change with its stamp.
    var stamped: [Field] { fields.stamped(stamp) }

    func request(key: RecordKey, settledThrough: UInt64) -> PushRequest {
        let write: Write =
            switch intent {
            case .create: .create(fields)
            case .update: .update(fields)
            case .put: .put(before.written(fields))
            case .delete: .delete
            }
        return PushRequest(
            stamp: stamp,
            attempt: attempt,
            key: key,
            madeOn: madeOn,
            write: write,
            settledThrough: settledThrough
        )
    }

    /// Makes the change one that brings the record back, with the other fields as the person saw them.
    func becomePut(on row: Row?) {
        intent = .put
        madeOn = row?.version ?? 0
    }
}
