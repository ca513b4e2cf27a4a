import MemoTexts
package import Outbox
package import OutboxCore
package import OutboxTesting
import RelayAPI
package import RelayRules
import RelayServer
import Synchronization

/// The content of the relay's disk: all that is committed, whatever happens to the process.
final class RelayDatabase: Sendable {
    struct Key: Hashable {
        let account: AccountID
        let id: OperationID
    }

    struct Memo {
        let mailbox: MailboxID
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
        let mailbox: MailboxID
        let createdAt: WallTime
        /// The language of the latest sign-in.
        var language: Language?
    }

    struct Device {
        var record: DeviceRecord
        let account: Account
        let pair: [UInt8]
        var revokedAt: WallTime?
        /// The running time at which a relay first saw the device signed out.
        var revokedSeen: Milliseconds?
        var change: Int64

        var isRevoked: Bool { revokedAt != nil }
    }

    struct Dead {
        let mailbox: MailboxID?
        let bytes: Int
        /// The running time at which a relay first saw the letter dead.
        var seen: Milliseconds?
    }

    struct Tables: Sendable {
        var memos: [Key: Memo] = [:]
        /// By the address's keyed hash.
        var accounts: [[UInt8]: Account] = [:]
        /// By the token's hash.
        var devices: [[UInt8]: Device] = [:]
        /// By the handle's keyed hash.
        var codes: [[UInt8]: MailedCode] = [:]
        var longCodes: [[UInt8]: [MailedLongCode]] = [:]
        /// The chances of failed tries of codes, by the step in which they count.
        var failedTries: [CodeShare: [WallTime: Int64]] = [:]
        /// The times of requests for codes, by the subject that they count for.
        var requests: [[UInt8]: [WallTime]] = [:]
        /// The accepted memos of a key in steps of time, by the step's row.
        var uses: [[UInt8]: [Int64: (begins: WallTime, memos: Int)]] = [:]
        /// The time of the last trial of a write.
        var triedAt: WallTime?
        /// The movement that was noted last.
        var movedAt: WallTime?
        /// The time for which relays have run.
        var running = Milliseconds(0)
        /// The dead letters.
        var dead: [EntryID: Dead] = [:]
        /// The mails that the operator holds, with the times since which they are held.
        var held: [EntryID: WallTime] = [:]
        /// The accounts that are erased and have rows left.
        var erased: Set<AccountID> = []
        /// The number of each account's latest change.
        var lastChange: [AccountID: Int64] = [:]
        /// The greatest number of a change of a device that was forgotten.
        var forgottenChange: [AccountID: Int64] = [:]
        var settings: [AccountID: SharedSettings] = [:]
        /// The ledgers of an account's nodes, with the times at which they were heard last.
        var ledgers: [AccountID: [[UInt8]: (ledger: ChangeLedger, heardAt: WallTime)]] = [:]
        /// The mailboxes of single addresses, by the address's keyed hash.
        var ownMailboxes: [[UInt8]: (mailbox: OwnMailbox, changedAt: WallTime)] = [:]
        /// The invitations, by the address's keyed hash.
        var invitations: [[UInt8]: (address: MailAddress, invitedAt: WallTime)] = [:]
        /// The next turns of paces.
        var turns: [PaceName: WallTime] = [:]

        mutating func count(_ key: [UInt8], in steps: RateSteps) {
            let earlier = uses[key]?[steps.row]
            let memos = earlier?.begins == steps.current ? earlier?.memos ?? 0 : 0
            uses[key, default: [:]][steps.row] = (steps.current, memos + 1)
        }

        mutating func dropCounts(beyond kept: Int) {
            let begins = uses.values.flatMap { $0.values.map(\.begins) }.sorted(by: >)
            guard begins.count > kept else { return }
            uses = uses.mapValues { $0.filter { $0.value.begins >= begins[kept] } }
        }

        /// Counts a change of an account.
        ///
        /// - Returns: The number of the change.
        mutating func countChange(of account: AccountID) -> Int64 {
            lastChange[account, default: 0] += 1
            return lastChange[account, default: 0]
        }
    }

    typealias Part = FaultyStorage<MailShares<RelayQueueStorage>>

    private let tables: RelayTables
    /// The mails of both parts, without faults.
    let mails: RelayQueueStorage
    /// The part of the queue with the memos' mails.
    let memos: Part
    /// The part of the queue with the mails of codes and about devices.
    let codes: Part

    var parts: [Part] { [memos, codes] }

    private init(_ tables: RelayTables, _ mails: RelayQueueStorage) {
        self.tables = tables
        self.mails = mails
        memos = FaultyStorage(MailShares(base: mails, part: .memos))
        codes = FaultyStorage(MailShares(base: mails, part: .codes))
    }

    convenience init() {
        let tables = RelayTables(Tables())
        self.init(tables, RelayQueueStorage(base: MemoryStorage(), tables: tables))
    }

    /// The state that another process finds: later changes of this process do not concern it.
    convenience init(left database: RelayDatabase) {
        let tables = RelayTables(database.tables.all)
        let mails = database.mails.base.copy()
        self.init(tables, RelayQueueStorage(base: mails, tables: tables))
    }

    func transaction<Result: Sendable>(_ body: (inout Tables) throws -> Result) throws -> Result {
        try tables.transaction(body)
    }

    /// What the devices of the one account share.
    var shared: SharedFound {
        let tables = tables.all
        let settings = tables.settings.values.first?.fields.mapValues(\.value) ?? [:]
        let devices = tables.devices.values.filter { !$0.isRevoked }.map { "\($0.record.id.bits)" }
        return SharedFound(
            settings: settings.filter { !$0.value.isEmpty },
            devices: devices.sorted()
        )
    }

    /// Signs a device in.
    func signIn(_ device: AuthenticatedDevice, named name: String, at time: WallTime) throws {
        try transaction { tables in
            let record = DeviceRecord(id: device.id, name: name, createdAt: time)
            tables.devices[device.id.bits.bytes] = Device(
                record: record,
                account: Account(
                    id: device.account,
                    address: device.address,
                    mailbox: MailboxID(bits: device.account.bits),
                    createdAt: time
                ),
                pair: device.id.bits.bytes,
                change: tables.countChange(of: device.account)
            )
        }
    }

    /// The content of the disk for somebody who takes it out.
    func allBytes() throws -> [[UInt8]] {
        var bytes = tables.all.memos.values.flatMap { memo in
            [memo.contentCode, memo.response, Array(memo.messageID.utf8)]
        }
        for state in OperationState.allCases {
            for entry in try mails.entries(in: state, after: nil, limit: .max) {
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

/// The mail queue of the simulated relay.
package struct RelayQueueStorage: WrappingStorage, MailQueue {
    package let base: MemoryStorage
    let tables: RelayTables
    /// Has the claim of the codes' drain, and nothing else.
    private let codes = MemoryStorage()

    init(base: MemoryStorage, tables: RelayTables) {
        self.base = base
        self.tables = tables
    }

    package func eligible(
        in part: MailPart,
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>
    ) throws -> EligibleRecords {
        let mailboxes = Dictionary(
            uniqueKeysWithValues: tables.all.memos.values.map {
                ($0.operation, $0.mailbox.bits.bytes)
            }
        )
        let queued = try base.entries(in: .queued, after: nil, limit: .max)
        let entries = Dictionary(uniqueKeysWithValues: queued.map { ($0.id, $0) })
        let mails =
            queued
            .filter { part.contains($0.operationID) }
            .map { entry in
                FairChoice.Mail(
                    entry: entry.id,
                    position: FairChoice.Position(
                        due: (try? Envelope(decoding: entry.envelope))?.nextEligibleAt
                            .millisecondsSinceEpoch ?? 0,
                        id: entry.operationID?.bytes ?? []
                    ),
                    mailbox: entry.operationID.flatMap { mailboxes[$0] }
                )
            }
            .sorted { $0.position < $1.position }
        let due = mails.filter { $0.position.due <= now.millisecondsSinceEpoch }
        var choice = FairChoice(limit: limit)
        while let page = choice.next {
            let behind = due.filter { mail in
                (mail.position.due == 0) == (page.age == .new)
                    && page.last.map { $0 < mail.position } ?? true
            }
            let others = behind.prefix(page.search).filter { mail in
                mail.mailbox.map { !page.leftOut.contains($0) } ?? true
            }
            choice.take(Array(others.prefix(page.limit)))
        }
        let next = mails.first { $0.position.due > now.millisecondsSinceEpoch }
        return EligibleRecords(
            entries: choice.chosen.compactMap { mail in
                mail.withoutRecord(ifAmong: operations) ?? entries[mail.entry]
            },
            nextEligibleAt: choice.chosen.count < limit
                ? next.map { WallTime(millisecondsSinceEpoch: $0.position.due) } : nil
        )
    }

    package func claimDrain(of part: MailPart) throws -> (any DrainClaim)? {
        switch part {
        case .memos: try base.claimDrain()
        case .codes: try codes.claimDrain()
        }
    }

    package func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try tables.transaction { tables in
            try base.quarantine(id, reason: reason, as: envelope)
            let entries = try base.entries(in: .quarantined, after: nil, limit: .max)
            guard let entry = entries.first(where: { $0.id == id }) else { return }
            tables.noteDeath(of: entry)
            if let mail = entry.operationID { tables.refuse(mail, reason: reason.rawValue) }
        }
    }

    package func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try tables.transaction { tables in
            for settlement in settlements {
                if let fate = MemoFate(settlement.transition) {
                    tables.record(fate, of: settlement.id)
                }
            }
            let unsettled = try base.settle(settlements)
            for settlement in settlements
            where !unsettled.contains(where: { $0.entry == settlement.entry }) {
                try keepNotes(of: settlement, in: &tables)
            }
            return unsettled
        }
    }

    private func keepNotes(
        of settlement: Settlement,
        in tables: inout RelayDatabase.Tables
    ) throws {
        switch settlement.transition {
        case .remove: tables.held[settlement.entry] = nil
        case .park:
            let dead = try base.entries(in: .parked, after: nil, limit: .max)
            guard let entry = dead.first(where: { $0.id == settlement.entry }) else { return }
            tables.noteDeath(of: entry)
        case .reschedule:
            let queued = try base.entries(in: .queued, after: nil, limit: .max)
            guard tables.held[settlement.entry] != nil,
                let entry = queued.first(where: { $0.id == settlement.entry })
            else { return }
            _ = try park(entry)
        }
    }

    /// Parks a queued mail as it is.
    ///
    /// - Returns: `false` for a mail whose envelope cannot be read.
    func park(_ mail: StoredEntry) throws -> Bool {
        guard let id = mail.operationID, let envelope = try? Envelope(decoding: mail.envelope)
        else { return false }
        try base.settle([Settlement(entry: mail.id, id: id, transition: .park(envelope))])
        return true
    }
}

extension RelayDatabase.Tables {
    mutating func record(_ fate: MemoFate, of operation: OperationID) {
        change(operation, to: fate.status, reason: fate.reason?.description)
    }

    /// Notes that a mail is a dead letter now.
    mutating func noteDeath(of mail: StoredEntry) {
        held[mail.id] = nil
        dead[mail.id] = RelayDatabase.Dead(
            mailbox: memos.values.first { $0.operation == mail.operationID }?.mailbox,
            bytes: mail.record.count
        )
    }

    /// Forgets that a mail is dead, or held.
    mutating func dropNotes(of mail: EntryID) {
        dead[mail] = nil
        held[mail] = nil
    }

    /// Refuses the memo of a quarantined mail, if the memo is accepted.
    mutating func refuse(_ operation: OperationID, reason: String) {
        let memo = memos.values.first { $0.operation == operation }
        if memo?.record.status == .accepted { change(operation, to: .refused, reason: reason) }
    }

    mutating func change(
        _ operation: OperationID,
        to status: DeliveryStatus,
        reason: String? = nil
    ) {
        for (key, memo) in memos where memo.operation == operation {
            var memo = memo
            memo.record = MemoRecord(
                contentCode: memo.contentCode,
                response: memo.response,
                status: status,
                reason: reason
            )
            memo.change = countChange(of: key.account)
            memos[key] = memo
        }
    }
}
