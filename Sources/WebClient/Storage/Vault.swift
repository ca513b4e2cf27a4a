import MemoCore
import OutboxCore
import WireCore

/// Seals and opens records under the one key of this browser, which cannot be read out of it.
final class Vault {
    enum Condition {
        case opening
        /// The key that seals; other keys may open.
        case ready(KeyID)
        case closed(StorageFailure)
    }

    private(set) var condition = Condition.opening
    /// The key that seals; `nil` while there is none.
    var key: KeyID? {
        if case .ready(let key) = condition { key } else { nil }
    }
    private let host: Host
    private let clock: Clock

    init(host: Host, clock: Clock) {
        self.host = host
        self.clock = clock
    }

    /// Chooses the key from the stored keys, or makes one.
    ///
    /// A key is made only while there are no sealed records. Sealed records without their key wait:
    /// a new key would make them unreadable for ever.
    func open(keys: [[UInt8]], hasRecords: Bool, _ then: @escaping () -> Void) {
        if let key = keys.last, let id = KeyID(bytes: key) {
            condition = .ready(id)
            return then()
        }
        guard !hasRecords else {
            condition = .closed(.keyMissing)
            return then()
        }
        host.makeKey(named: KeyID(rawValue: clock.random()).bytes) { answer in
            switch answer {
            case .done(let reader):
                let id = KeyID(bytes: reader.block())
                self.condition = id.map { .ready($0) } ?? .closed(.unavailable)
            case .failed(let name):
                self.condition = .closed(StorageFailure(name))
            }
            then()
        }
    }

    func close(_ failure: StorageFailure) {
        condition = .closed(failure)
    }

    /// Seals all or nothing. The answer has the stored bytes, in order.
    func seal(
        _ plain: [PlainRecord],
        _ then: @escaping (StorageResult<[[UInt8]]>) -> Void
    ) {
        let key: KeyID
        switch condition {
        case .ready(let id): key = id
        case .opening: preconditionFailure("sealing waits until the vault is open")
        case .closed(let failure): return then(.failed(failure))
        }
        let records = plain.map { record in
            KeyedBytes(
                key: key.bytes,
                associatedData: record.binding.associatedData(key),
                bytes: record.bytes
            )
        }
        host.seal(records) { answer in
            switch answer {
            case .done(let reader):
                let sealed = plain.map { _ in
                    let nonce = reader.block()
                    let body = reader.block()
                    return SealedRecord(
                        keyID: key,
                        nonce: nonce,
                        ciphertext: Array(body.dropLast(SealedRecord.tagLength)),
                        tag: Array(body.suffix(SealedRecord.tagLength))
                    ).encoded()
                }
                then(.done(sealed))
            case .failed(let name):
                then(.failed(StorageFailure(name)))
            }
        }
    }

    /// Opens each record by itself.
    func open(
        _ sealed: [(binding: SealBinding, bytes: [UInt8])],
        _ then: @escaping ([Opened]) -> Void
    ) {
        var readable: [KeyedBytes] = []
        var positions: [Int] = []
        for index in sealed.indices {
            guard let record = try? SealedRecord(decoding: sealed[index].bytes) else { continue }
            positions.append(index)
            readable.append(
                KeyedBytes(
                    key: record.keyID.bytes,
                    associatedData: sealed[index].binding.associatedData(record.keyID),
                    bytes: record.nonce + record.ciphertext + record.tag
                )
            )
        }
        host.open(readable) { answer in
            var opened: [Opened] = sealed.map { _ in .unreadable(.damagedRecord) }
            for position in positions { opened[position] = .notNow }
            if case .done(let reader) = answer {
                for position in positions {
                    let state = reader.number()
                    let bytes = reader.block()
                    if state == 1 { opened[position] = .done(bytes) }
                    if state == 0 { opened[position] = .unreadable(.notAuthentic) }
                }
            }
            then(opened)
        }
    }
}

/// The identifier, kind and time that a sealed record is bound to, or its context.
struct SealBinding {
    private var id = OperationID(high: 0, low: 0)
    private var kind = OperationKind.memo
    private var createdAt = WallTime.distantPast
    /// What bytes of no operation are bound to.
    private var context: [UInt8] = []

    init(id: OperationID, kind: OperationKind, createdAt: WallTime) {
        self.id = id
        self.kind = kind
        self.createdAt = createdAt
    }

    /// - Parameter context: Not empty.
    init(context: [UInt8]) {
        self.context = context
    }

    func associatedData(_ key: KeyID) -> [UInt8] {
        if !context.isEmpty { return SealedRecord.associatedData(keyID: key, context: context) }
        return SealedRecord.associatedData(keyID: key, id: id, kind: kind, createdAt: createdAt)
    }
}

/// The outcome of opening a record.
enum Opened {
    case done([UInt8])
    /// The record will never become readable, for this reason.
    case unreadable(ReasonCode)
    /// The key is missing for now.
    case notNow

    var bytes: [UInt8]? {
        if case .done(let bytes) = self { bytes } else { nil }
    }
}

struct PlainRecord {
    let binding: SealBinding
    let bytes: [UInt8]
}

enum StorageResult<Value> {
    case done(Value)
    case failed(StorageFailure)
}

/// The reason why a record could not be sealed or stored.
enum StorageFailure: Hashable {
    /// The device, or the browser's quota for this site, is full.
    case full
    /// The page did not come over https, so the browser gives it no cipher.
    case insecure
    /// The key of stored records is missing.
    case keyMissing
    /// The key is gone since it was chosen: another page has signed out.
    case signedOut
    /// A newer build has written the database.
    case tooNew
    /// A page of an older build keeps the database from being updated.
    case otherTab
    /// The browser gives no database: private mode of some, or cookies forbidden.
    case unavailable
    /// Anything else.
    case failed

    /// - Parameter name: The name of the host's error.
    init(_ name: [UInt8]) {
        self =
            switch name {
            case "QuotaExceededError": .full
            case "UnknownKey": .signedOut
            case "VersionError": .tooNew
            case "BlockedError": .otherTab
            case "SecurityError", "InvalidStateError", "NotSupportedError", "DataCloneError",
                "ReferenceError", "TypeError":
                .unavailable
            default: .failed
            }
    }
}

extension KeyID {
    var bytes: [UInt8] { bigEndian(rawValue) }

    init?(bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        self.init(rawValue: number(bigEndian: bytes))
    }
}

extension WallTime {
    /// Bytes in the order of time; a moment before 1970 counts as 1970.
    var ordered: [UInt8] { bigEndian(UInt64(max(0, millisecondsSinceEpoch))) }

    init?(ordered bytes: some Collection<UInt8>) {
        guard bytes.count == 8 else { return nil }
        let value = number(bigEndian: bytes)
        guard value <= UInt64(Int64.max) else { return nil }
        self.init(millisecondsSinceEpoch: Int64(value))
    }
}
