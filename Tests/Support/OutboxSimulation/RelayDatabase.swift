import MemoTexts
import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayRules
import RelayServer
import Synchronization

/// The content of the relay's disk: all that is committed, whatever happens to the process.
final class RelayDatabase: Sendable {
    struct Key: Hashable {
        let account: AccountID
        let id: OperationID
    }

    struct Memo {
        let device: DeviceID
        let operation: OperationID
        let acceptedAt: WallTime
        let size: Int
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
        var record: DeviceRecord
        let account: Account
        let pair: [UInt8]
        var isRevoked = false
    }

    struct Tables: Sendable {
        var memos: [Key: Memo] = [:]
        /// By the address's keyed hash.
        var accounts: [[UInt8]: Account] = [:]
        /// By the token's hash.
        var devices: [[UInt8]: Device] = [:]
        /// By the handle's keyed hash.
        var codes: [[UInt8]: (code: SentCode, pair: [UInt8], language: Language)] = [:]
        /// The chances of failed tries of codes, by the step in which they count.
        var failedTries: [WallTime: Int64] = [:]
        /// The times of requests for codes, by the subject that they count for.
        var requests: [[UInt8]: [WallTime]] = [:]
        /// The accepted memos of a key in steps of time, by the step's row.
        var uses: [[UInt8]: [Int64: (begins: WallTime, memos: Int)]] = [:]

        mutating func count(_ quota: MemoQuota) {
            for case .stepped(let key, let steps) in quota.counters {
                let earlier = uses[key]?[steps.row]
                let memos = earlier?.begins == steps.current ? earlier?.memos ?? 0 : 0
                uses[key, default: [:]][steps.row] = (steps.current, memos + 1)
            }
        }

        func nextChange(of account: AccountID) -> Int64 {
            1 + (memos.filter { $0.key.account == account }.map(\.value.change).max() ?? 0)
        }
    }

    private let tables: RelayTables
    let queue: FaultyStorage<RelayQueueStorage>

    init() {
        tables = RelayTables(Tables())
        queue = FaultyStorage(RelayQueueStorage(base: MemoryStorage(), tables: tables))
    }

    /// The state that another process finds: later changes of this process do not concern it.
    init(left database: RelayDatabase) {
        tables = RelayTables(database.tables.all)
        let mails = database.queue.base.base.copy()
        queue = FaultyStorage(RelayQueueStorage(base: mails, tables: tables))
    }

    func transaction<Result: Sendable>(_ body: (inout Tables) throws -> Result) throws -> Result {
        try tables.transaction(body)
    }

    /// The content of the disk for somebody who takes it out.
    func allBytes() throws -> [[UInt8]] {
        var bytes = tables.all.memos.values.flatMap { memo in
            [memo.contentCode, memo.response, Array(memo.messageID.utf8)]
        }
        for state in OperationState.allCases {
            for entry in try queue.base.entries(in: state, after: nil, limit: .max) {
                bytes += [entry.envelope, entry.record]
            }
        }
        return bytes
    }
}

/// The relay's tables beside the queue.
final class RelayTables: Sendable {
    private let tables: Mutex<RelayDatabase.Tables>

    init(_ tables: RelayDatabase.Tables) {
        self.tables = Mutex(tables)
    }

    var all: RelayDatabase.Tables { tables.withLock { $0 } }

    /// One transaction: no other one runs meanwhile, and one that throws has changed nothing.
    func transaction<Result: Sendable>(
        _ body: (inout RelayDatabase.Tables) throws -> Result
    ) throws -> Result {
        try tables.withLock { tables in
            var changed = tables
            let result = try body(&changed)
            tables = changed
            return result
        }
    }
}

/// The mail queue of the simulated relay, which records a memo's fate with its mail's outcome.
struct RelayQueueStorage: WrappingStorage {
    let base: MemoryStorage
    let tables: RelayTables

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try tables.transaction { tables in
            for settlement in settlements {
                if let fate = MemoFate(settlement.transition) {
                    tables.record(fate, of: settlement.id)
                }
            }
            return try base.settle(settlements)
        }
    }
}

extension RelayDatabase.Tables {
    mutating func record(_ fate: MemoFate, of operation: OperationID) {
        for (key, memo) in memos where memo.operation == operation {
            var memo = memo
            memo.record = MemoRecord(
                contentCode: memo.contentCode,
                response: memo.response,
                status: fate.status,
                reason: fate.reason?.description
            )
            memo.change = nextChange(of: key.account)
            memos[key] = memo
        }
    }
}
