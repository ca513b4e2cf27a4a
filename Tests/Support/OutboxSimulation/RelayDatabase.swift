import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayServer

/// What the relay's disk holds: all that is committed, whatever happens to the process.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class RelayDatabase: @unchecked Sendable {
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

    var memos: [Key: Memo] = [:]
    let queue: FaultyStorage<MemoryStorage>

    init() {
        queue = FaultyStorage(MemoryStorage())
    }

    /// What another process finds; what this one still does no longer concerns it.
    init(left database: RelayDatabase) {
        memos = database.memos
        queue = FaultyStorage(database.queue.base.copy())
    }

    /// What whoever takes the disk out finds.
    func allBytes() throws -> [[UInt8]] {
        var bytes = memos.values.flatMap { memo in
            [memo.contentCode, memo.response, Array(memo.messageID.utf8)]
        }
        for state in OperationState.allCases {
            for entry in try queue.base.entries(in: state, after: nil, limit: .max) {
                bytes += [entry.envelope, entry.record]
            }
        }
        return bytes
    }

    func nextChange(of account: AccountID) -> Int64 {
        1 + (memos.filter { $0.key.account == account }.map(\.value.change).max() ?? 0)
    }
}
