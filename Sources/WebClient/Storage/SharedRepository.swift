import MemoCore
import OutboxCore
import SyncCore
import WireCore

/// The records that all devices of the person share, and the state beside them.
///
/// The head of a record is the number of the revision that wrote it. Each revision writes the state, too,
/// so that the head of the state is the latest one. Who knows an earlier revision stores nothing: it reads
/// the news first.
struct SharedRepository {
    /// The most records that one step reads while all are read.
    private static let page: UInt32 = 500
    /// The key of the state. Keys of records begin with the record's kind, which is not empty.
    private static let stateKey: [UInt8] = [0]

    let host: Host
    let vault: Vault

    /// The stored records.
    struct Stored {
        /// The latest revision; 0 where nothing is stored.
        var revision: UInt64 = 0
        /// The state; `nil` where none is stored, or it is damaged.
        var state: SharedState?
        var records: [SyncRecord] = []
        /// Whether bytes will never be readable again. Their records are left out.
        var isDamaged = false
    }

    // MARK: Reading

    /// Reads all records. Another page may store meanwhile; then the revision is the one before.
    ///
    /// - Parameter then: Gets `nil` when the database or the key is out of reach.
    func readAll(_ then: @escaping (Stored?) -> Void) {
        readAll(after: nil, Stored(), then)
    }

    private func readAll(
        after key: [UInt8]?,
        _ stored: Stored,
        _ then: @escaping (Stored?) -> Void
    ) {
        var read = Transaction()
        let records = read.find(
            in: .shared,
            by: .key,
            from: key.map { $0 + [0] } ?? [],
            limit: Self.page,
            bodies: true
        )
        host.read(read) { found in
            let found = found[records]
            self.open(found, stored) { stored in
                guard let stored, found.count == Int(Self.page), let last = found.last else {
                    return then(stored)
                }
                self.readAll(after: last.key, stored, then)
            }
        } orElse: {
            then(nil)
        }
    }

    /// Reads the records that revisions after this one have stored. Without a state there are none.
    ///
    /// - Parameter then: Gets `nil` when the database or the key is out of reach.
    func readNews(after revision: UInt64, _ then: @escaping (Stored?) -> Void) {
        var read = Transaction()
        let records = read.find(
            in: .shared,
            by: .head,
            from: bigEndian(revision + 1),
            limit: .max,
            bodies: true
        )
        host.read(read) { found in
            self.open(found[records], Stored(), then)
        } orElse: {
            then(nil)
        }
    }

    private func open(
        _ found: [Record],
        _ stored: Stored,
        _ then: @escaping (Stored?) -> Void
    ) {
        let sealed = found.map { record in
            (binding: SealBinding(context: Self.context(record.key)), bytes: record.body)
        }
        vault.open(sealed) { opened in
            var stored = stored
            for index in found.indices {
                let record = found[index]
                let isState = record.key == Self.stateKey
                if isState { stored.revision = number(bigEndian: record.head.prefix(8)) }
                if case .notNow = opened[index] { return then(nil) }
                if isState, let state = opened[index].bytes.flatMap({ SharedState(decoding: $0) }) {
                    stored.state = state
                } else if !isState, let bytes = opened[index].bytes,
                    let read = try? SyncRecord(decoding: bytes)
                {
                    stored.records.append(read)
                } else {
                    stored.isDamaged = true
                }
            }
            then(stored)
        }
    }

    // MARK: Writing

    /// The content of one revision.
    struct Revision {
        /// The latest revision that the writer knows.
        let known: UInt64
        var state: SharedState
        /// The records that were changed.
        var records: [SyncRecord] = []
        /// The records that are no more.
        var removed: [RecordKey] = []
        /// The statuses of memos, which the history gets if they were sent from here.
        var statuses: [MemoChange] = []
        /// The settings, as the start reads them; `nil` where they stay.
        var settings: Settings?
        /// Whether all that was stored goes first.
        var isAnew = false
    }

    /// The outcome of storing.
    enum Outcome {
        case stored
        /// A later revision is stored: nothing was.
        case overtaken
        case failed(StorageFailure)
    }

    /// Seals and stores a revision: all of it or nothing.
    func store(
        _ revision: Revision,
        at time: WallTime,
        settingsID: OperationID,
        _ durability: Durability,
        _ then: @escaping (Outcome) -> Void
    ) {
        var keys = [Self.stateKey]
        var plain = [
            PlainRecord(
                binding: SealBinding(context: Self.context(Self.stateKey)),
                bytes: revision.state.encoded()
            )
        ]
        for record in revision.records {
            let key = Self.key(of: record.key)
            keys.append(key)
            plain.append(
                PlainRecord(
                    binding: SealBinding(context: Self.context(key)),
                    bytes: record.encoded()
                )
            )
        }
        if let settings = revision.settings {
            let binding = SealBinding(id: settingsID, kind: .settings, createdAt: time)
            plain.append(PlainRecord(binding: binding, bytes: settings.encoded()))
        }
        vault.seal(plain) { sealed in
            guard case .done(let bodies) = sealed else {
                if case .failed(let failure) = sealed { then(.failed(failure)) }
                return
            }
            let write = self.write(revision, keys, bodies, settingsID.bytes + time.ordered)
            self.host.perform(write, durability) { answer in
                switch answer {
                case .done: then(.stored)
                case .failed(let name):
                    then(name == "OvertakenError" ? .overtaken : .failed(StorageFailure(name)))
                }
            }
        }
    }

    private func write(
        _ revision: Revision,
        _ keys: [[UInt8]],
        _ bodies: [[UInt8]],
        _ settingsHead: [UInt8]
    ) -> Transaction {
        let head = bigEndian(revision.known + 1)
        var write = Transaction()
        write.require(
            revision.known == 0 ? [] : bigEndian(revision.known),
            of: Self.stateKey,
            in: .shared
        )
        if revision.isAnew { write.clear(.shared) }
        for key in revision.removed { write.delete(Self.key(of: key), from: .shared) }
        for index in keys.indices {
            write.put(Record(key: keys[index], head: head, body: bodies[index]), in: .shared)
        }
        if bodies.count > keys.count, let body = bodies.last {
            write.put(Record(key: Thing.settings.key, head: settingsHead, body: body), in: .things)
        }
        let kept = HistoryHead(.keptWhenTold).encoded()
        for change in revision.statuses {
            let status = HistoryHead(change.status).encoded()
            write.setHead(status, of: change.id.bytes, in: .history, unless: kept)
        }
        return write
    }

    /// The stored key of a record: its kind, which has no zero, and its identifier.
    private static func key(of key: RecordKey) -> [UInt8] { key.kind + [0] + key.id }

    /// The bytes to which a sealed record is bound.
    private static func context(_ key: [UInt8]) -> [UInt8] { utf8("sync.shared") + [0] + key }
}

/// The state beside the shared records.
struct SharedState {
    /// Grows when a record is removed: who has read records of an earlier generation reads all again.
    var generation: UInt64 = 0
    /// The address of the account whose records these are.
    var address: [UInt8]
    /// The relay's name of this device; empty until the relay has told it.
    var device: [UInt8] = []
    var meta: SyncMeta

    init(address: [UInt8], meta: SyncMeta) {
        self.address = address
        self.meta = meta
    }

    /// - Returns: `nil` for bytes that cannot be read.
    init?(decoding bytes: [UInt8]) {
        let reader = BorderReader(bytes)
        let generation = reader.block()
        let (address, device) = (reader.block(), reader.block())
        guard generation.count == 8, let meta = try? SyncMeta(decoding: reader.block()) else {
            return nil
        }
        self.generation = number(bigEndian: generation)
        self.address = address
        self.device = device
        self.meta = meta
    }

    func encoded() -> [UInt8] {
        var writer = BorderWriter()
        writer.block(bigEndian(generation))
        writer.block(address)
        writer.block(device)
        writer.block(meta.encoded())
        return writer.bytes
    }
}
