package import Outbox
import OutboxCore
package import RelayRules

/// Stores a memo and queues its mail, once, unless a limit is reached.
package struct AcceptMemo: RelayTransaction {
    private let memo: NewMemo
    private let mail: SealedOperation
    private let quota: MemoQuota

    package init(_ memo: NewMemo, mail: SealedOperation, limits: MemoLimits) {
        self.memo = memo
        self.mail = mail
        quota = MemoQuota(limits, for: memo.sender, at: memo.acceptedAt)
    }

    package func find(
        in tables: some RelayReads
    ) throws -> (earlier: MemoRecord?, quota: MemoQuota.Found) {
        (try tables.memo(memo.id, of: memo.account), try quota.find(in: tables))
    }

    package func decide(
        _ found: (earlier: MemoRecord?, quota: MemoQuota.Found)
    ) -> RelayDecision<MemoDecision> {
        if let earlier = found.earlier { return RelayDecision(.acceptedBefore(earlier)) }
        switch quota.decision(of: memo.size, found.quota) {
        case .refused(let usages): return RelayDecision(.overLimit(usages))
        case .granted(let usages):
            let counts = quota.counters.compactMap { counter -> RelayWrite? in
                // An account's memos are counted in their own table.
                guard case .stepped(let key, let steps) = counter else { return nil }
                return .count(key: key, steps)
            }
            let rows: [RelayWrite] = [.queue(mail), .memo(memo, mail: mail.envelope.id)]
            return RelayDecision(.accepted(usages), writes: rows + counts)
        }
    }
}
