package import Outbox
import OutboxCore
package import RelayRules

/// Stores a memo and queues its mail, once, unless its device has been signed out meanwhile, or a limit is
/// reached.
package struct AcceptMemo: RelayTransaction {
    private let memo: NewMemo
    private let mail: SealedOperation
    private let quota: MemoQuota

    package init(_ memo: NewMemo, mail: SealedOperation, limits: MemoLimits) {
        self.memo = memo
        self.mail = mail
        quota = MemoQuota(limits, for: memo.sender, at: memo.acceptedAt)
    }

    package struct Found {
        let earlier: MemoRecord?
        let device: OwnedDevice?
        let quota: MemoQuota.Found
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            earlier: try tables.memo(memo.id, of: memo.account, or: memo.mailbox),
            device: try tables.device(memo.device, of: memo.account),
            quota: try quota.find(in: tables)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<MemoDecision> {
        if let earlier = found.earlier { return RelayDecision(.acceptedBefore(earlier)) }
        if found.device?.isRevoked == true { return RelayDecision(.revoked) }
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
