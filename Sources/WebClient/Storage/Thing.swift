import MemoCore
import OutboxCore

/// A record of ``Records/things``, one of each. Key: a byte. Head of a sealed thing: an identifier
/// and a time that the body is bound to.
enum Thing: UInt8 {
    case account = 1
    case settings
    /// Not sealed.
    case timings
    /// Not sealed.
    case rating
    /// The latest transitions that service workers stored. Not sealed. Earlier builds kept a cursor of
    /// the relay's under the key 5; the key 6 begins the keys of the marks that ``Rating`` counts.
    case log = 7
    /// The number of memos that did not arrive and that the person has seen. Not sealed. The key 9
    /// begins the keys of each ``FailureMark``.
    case seenFailures

    var kind: OperationKind {
        switch self {
        case .account: .account
        case .settings: .settings
        case .timings, .rating, .log, .seenFailures:
            preconditionFailure("this is not sealed")
        }
    }

    var key: [UInt8] { [rawValue] }

    /// The sealed bytes of a record, with the identity that they are bound to. For no record, and
    /// for a damaged one, bytes that do not open.
    func sealed(in record: Record?) -> (binding: SealBinding, bytes: [UInt8]) {
        guard let record, record.head.count == 24, let id = OperationID(bytes: record.head[..<16]),
            let createdAt = WallTime(ordered: record.head[16...])
        else {
            let none = OperationID(high: 0, low: 0)
            return (SealBinding(id: none, kind: kind, createdAt: .distantPast), [])
        }
        return (SealBinding(id: id, kind: kind, createdAt: createdAt), record.body)
    }
}
