import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayServer
import Synchronization

/// What the relay's disk holds: all that is committed, whatever happens to the process.
final class RelayDatabase: Sendable {
    struct Key: Hashable {
        let account: AccountID
        let id: OperationID
    }

    struct Memo {
        let device: DeviceID
        let operation: OperationID
        let acceptedAt: WallTime
        var record: MemoRecord
        let contentCode: [UInt8]
        let response: [UInt8]
        let messageID: String
        var change: Int64
    }

    struct Account {
        let id: AccountID
        let address: MailAddress
    }

    struct Device {
        let record: DeviceRecord
        let account: Account
        var isRevoked = false
    }

    struct Tables {
        var memos: [Key: Memo] = [:]
        /// By the address's keyed hash.
        var accounts: [[UInt8]: Account] = [:]
        /// By the token's hash.
        var devices: [[UInt8]: Device] = [:]
        /// By the address's keyed hash, as limits count it.
        var codes: [[UInt8]: SentCode] = [:]
        /// The times of requests for codes, by address and by network.
        var requests: [[UInt8]: [WallTime]] = [:]

        func nextChange(of account: AccountID) -> Int64 {
            1 + (memos.filter { $0.key.account == account }.map(\.value.change).max() ?? 0)
        }
    }

    private let tables: Mutex<Tables>
    let queue: FaultyStorage<MemoryStorage>

    init() {
        tables = Mutex(Tables())
        queue = FaultyStorage(MemoryStorage())
    }

    /// What another process finds; what this one still does no longer concerns it.
    init(left database: RelayDatabase) {
        tables = Mutex(database.tables.withLock { $0 })
        queue = FaultyStorage(database.queue.base.copy())
    }

    /// One transaction: no other one runs meanwhile, and one that throws has changed nothing.
    func transaction<Result: Sendable>(_ body: (inout Tables) throws -> Result) throws -> Result {
        try tables.withLock { tables in
            var changed = tables
            let result = try body(&changed)
            tables = changed
            return result
        }
    }

    /// What whoever takes the disk out finds.
    func allBytes() throws -> [[UInt8]] {
        var bytes = tables.withLock { tables in
            tables.memos.values.flatMap { memo in
                [memo.contentCode, memo.response, Array(memo.messageID.utf8)]
            }
        }
        for state in OperationState.allCases {
            for entry in try queue.base.entries(in: state, after: nil, limit: .max) {
                bytes += [entry.envelope, entry.record]
            }
        }
        return bytes
    }
}
