import MemoTexts
import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayRules
import RelayServer

/// The simulated relay's tables inside one transaction.
struct SimulatedTables: RelayReads {
    private(set) var rows: RelayDatabase.Tables
    private let mails: RelayQueueStorage
    /// Sabotage: whether what was accepted is forgotten at once.
    private let forgets: Bool
    /// Stores a new mail.
    private let queue: (SealedOperation) throws -> Void

    init(
        _ rows: RelayDatabase.Tables,
        _ mails: RelayQueueStorage,
        forgets: Bool,
        queue: @escaping (SealedOperation) throws -> Void
    ) {
        self.rows = rows
        self.mails = mails
        self.forgets = forgets
        self.queue = queue
    }

    // MARK: Memos

    func memo(_ id: OperationID, of account: AccountID) -> MemoRecord? {
        forgets ? nil : rows.memos[RelayDatabase.Key(account: account, id: id)]?.record
    }

    func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) -> MemoRecord? {
        if forgets { return nil }
        return memo(id, of: account)
            ?? rows.memos.first { $0.key.id == id && $0.value.mailbox == mailbox }?.value.record
    }

    func status(ofMail mail: OperationID) -> DeliveryStatus? {
        rows.memos.values.first { $0.operation == mail }?.record.status
    }

    func use(_ counter: MemoQuota.Counter) -> MemoUse {
        switch counter {
        case .accepted(let mailbox, let window):
            let memos = rows.memos.filter {
                $0.value.mailbox == mailbox && window.contains($0.value.acceptedAt)
            }
            return MemoUse(
                memos: memos.count,
                bytes: memos.values.reduce(0) { $0 + $1.size },
                oldest: memos.values.map(\.acceptedAt).min()
            )
        case .waiting(let mailbox):
            let waiting = rows.memos.filter {
                $0.value.mailbox == mailbox && $0.value.record.status == .accepted
            }
            return MemoUse(
                memos: waiting.count,
                bytes: waiting.reduce(0) { $0 + $1.value.size }
            )
        case .stepped(let key, let steps):
            let counted = (rows.uses[key] ?? [:]).values.filter {
                steps.window.contains($0.begins)
            }
            return MemoUse(
                memos: counted.reduce(0) { $0 + $1.memos },
                oldest: counted.map(\.begins).min()
            )
        }
    }

    func runningTime() -> Milliseconds { rows.running }

    func newDeadLetters(limit: Int) throws -> [EntryID] {
        rows.dead.filter { $0.value.seen == nil }.keys.prefix(limit).map { $0 }
    }

    func notedDeadLetters(limit: Int) throws -> [NotedLetter] {
        let noted = rows.dead.compactMap { entry, letter in
            letter.seen.map { NotedLetter(entry: entry, seen: $0, bytes: letter.bytes) }
        }
        return Array(noted.sorted { $0.seen < $1.seen }.prefix(limit))
    }

    func totalOfDeadLetters() -> DeadLetterRoom.Total {
        DeadLetterRoom.Total(
            bytes: rows.dead.values.reduce(0) { $0 + $1.bytes },
            holders: Set(rows.dead.values.map(\.mailbox)).count
        )
    }

    func heaviestHolders(limit: Int) -> [DeadLetterRoom.Holding] {
        let creations = Dictionary(
            rows.accounts.values.map { ($0.mailbox, $0.createdAt) },
            uniquingKeysWith: min
        )
        let holders = Dictionary(grouping: rows.dead.values, by: \.mailbox)
            .map { mailbox, letters in
                (
                    holding: DeadLetterRoom.Holding(
                        mailbox: mailbox,
                        bytes: letters.reduce(0) { $0 + $1.bytes }
                    ),
                    createdAt: mailbox.flatMap { creations[$0]?.millisecondsSinceEpoch } ?? .max
                )
            }
        return holders.sorted {
            ($0.holding.bytes, $0.createdAt) > ($1.holding.bytes, $1.createdAt)
        }
        .prefix(limit).map(\.holding)
    }

    func heldBytes(of mailbox: MailboxID?) -> Int {
        rows.dead.values.filter { $0.mailbox == mailbox }.reduce(0) { $0 + $1.bytes }
    }

    func heldLetters(of mailbox: MailboxID?, limit: Int) -> [DeadLetterRoom.Letter] {
        rows.dead.filter { $0.value.mailbox == mailbox }
            .map { DeadLetterRoom.Letter(entry: $0.key, bytes: $0.value.bytes) }
            .sorted { $0.entry.rawValue < $1.entry.rawValue }
            .prefix(limit).map { $0 }
    }

    func letters(after last: EntryID?, limit: Int) throws -> [StoredMail<DeadLetter>] {
        try list(dead(), after: last, limit: limit) { id, mail in
            DeadLetter(
                id: id,
                isParked: mail.state == .parked,
                quarantine: mail.quarantineReason?.rawValue,
                envelope: mail.envelope,
                bytes: mail.record.count,
                memo: memo(ofMail: id)?.id,
                domain: domain(ofMail: id)
            )
        }
    }

    func waitingMails(after last: EntryID?, limit: Int) throws -> [StoredMail<WaitingMail>] {
        let waiting =
            try mails.entries(in: .queued, after: nil, limit: .max)
            + mails.entries(in: .parked, after: nil, limit: .max)
            .filter { rows.held[$0.id] != nil }
        return list(waiting, after: last, limit: limit) { id, mail in
            WaitingMail(
                id: id,
                envelope: mail.envelope,
                bytes: mail.record.count,
                memo: memo(ofMail: id)?.id,
                domain: domain(ofMail: id),
                heldSince: rows.held[mail.id]
            )
        }
    }

    func mailsWithoutKey(after last: EntryID?, limit: Int) throws -> [QuarantinedMail] {
        try mails.entries(in: .quarantined, after: last, limit: .max)
            .filter { $0.quarantineReason == .unknownKey }
            .compactMap { mail in
                mail.operationID.map { QuarantinedMail(entry: mail.id, id: $0) }
            }
            .prefix(limit).map { $0 }
    }

    private func dead() throws -> [StoredEntry] {
        let parked = try mails.entries(in: .parked, after: nil, limit: .max)
        return try parked.filter { rows.held[$0.id] == nil }
            + mails.entries(in: .quarantined, after: nil, limit: .max)
    }

    /// Some mails behind an entry, in the order in which they were queued.
    private func list<Mail>(
        _ mails: [StoredEntry],
        after last: EntryID?,
        limit: Int,
        _ describe: (OperationID, StoredEntry) -> Mail
    ) -> [StoredMail<Mail>] {
        mails.filter { $0.id.rawValue > last?.rawValue ?? .min }
            .sorted { $0.id.rawValue < $1.id.rawValue }
            .compactMap { mail in
                mail.operationID.map { StoredMail(entry: mail.id, mail: describe($0, mail)) }
            }
            .prefix(limit).map { $0 }
    }

    private func memo(ofMail mail: OperationID) -> RelayDatabase.Key? {
        rows.memos.first { $0.value.operation == mail }?.key
    }

    private func domain(ofMail mail: OperationID) -> String? {
        let account = memo(ofMail: mail)?.account
        return rows.accounts.values.first { $0.id == account }?.address.domain
    }

    // MARK: Codes

    func code(under handle: [UInt8]) -> MailedCode? { rows.codes[handle] }

    func longCode(_ code: [UInt8], of addressKey: [UInt8]) -> MailedLongCode? {
        rows.longCodes[addressKey]?.first { $0.code == code }
    }

    func hasLongCode(of addressKey: [UInt8], at now: WallTime) -> Bool {
        rows.longCodes[addressKey]?.contains { $0.life.contains(now) } ?? false
    }

    func openTries(of tries: Int, at now: WallTime) -> [OpenTries] {
        rows.codes.values.filter { $0.code.isAlive(at: now) }.map { mailed in
            OpenTries(
                share: mailed.share,
                digits: mailed.code.digits,
                count: max(tries - mailed.code.tries, 0)
            )
        }
    }

    func failedTries(of share: CodeShare, in window: RateWindow) -> Int64 {
        (rows.failedTries[share] ?? [:]).filter { window.contains($0.key) }.values.reduce(0, +)
    }

    func requests(for subject: [UInt8], in window: RateWindow) -> RateUse {
        window.use(by: rows.requests[subject] ?? [])
    }

    func latestRequest(for subject: [UInt8]) -> WallTime? { rows.requests[subject]?.max() }

    // MARK: Operation

    func nextTurn(of pace: PaceName) -> WallTime? { rows.turns[pace] }

    // MARK: Devices

    func oldestAccount(signedInUnder pair: [UInt8]) -> WallTime? {
        rows.devices.values.filter { !$0.isRevoked && $0.pair == pair }
            .map(\.account.createdAt).min()
    }

    func oldestAccount() -> WallTime? { rows.accounts.values.map(\.createdAt).min() }

    func accountCreation(of addressKey: [UInt8]) -> WallTime? {
        rows.accounts[addressKey]?.createdAt
    }

    func account(of addressKey: [UInt8]) -> AccountID? { rows.accounts[addressKey]?.id }

    func address(of addressKey: [UInt8]) -> MailAddress? { rows.accounts[addressKey]?.address }

    func language(of addressKey: [UInt8]) -> Language? {
        guard let account = rows.accounts[addressKey] else { return nil }
        let chosen = rows.settings[account.id]?.fields[SharedSettings.language]?.value
        return chosen.flatMap { Language(tag: $0.utf8) } ?? account.language
    }

    func livingDevices(of addressKey: [UInt8]) -> [DeviceID] {
        devices(of: addressKey).filter { !$0.isRevoked }.map(\.record)
            .sorted { ($0.createdAt, $0.id.bits) < ($1.createdAt, $1.id.bits) }
            .map(\.id)
    }

    func signIns(of addressKey: [UInt8], in window: RateWindow) -> RateUse {
        window.use(by: devices(of: addressKey).map(\.record.createdAt))
    }

    func device(_ device: DeviceID, of account: AccountID) -> OwnedDevice? {
        rows.devices.values.first { $0.record.id == device && $0.account.id == account }
            .map { OwnedDevice(isRevoked: $0.isRevoked, change: $0.change) }
    }

    func newlyRevoked(limit: Int) -> [DeviceID] {
        rows.devices.values.filter { $0.isRevoked && $0.revokedSeen == nil }
            .map(\.record.id).prefix(limit).map { $0 }
    }

    func notedRevoked(limit: Int) -> [RevokedDevice] {
        rows.devices.values.compactMap { device in
            guard device.isRevoked, let seen = device.revokedSeen else { return nil }
            return RevokedDevice(id: device.record.id, account: device.account.id, seen: seen)
        }
        .sorted { $0.seen < $1.seen }.prefix(limit).map { $0 }
    }

    private func devices(of addressKey: [UInt8]) -> [RelayDatabase.Device] {
        guard let account = account(of: addressKey) else { return [] }
        return rows.devices.values.filter { $0.account.id == account }
    }

    // MARK: Erased accounts

    func erasedMemos(limit: Int) throws -> [ErasedMemo] {
        var mails: [OperationID: StoredEntry] = [:]
        for state in OperationState.allCases {
            for mail in try self.mails.entries(in: state, after: nil, limit: .max) {
                if let id = mail.operationID { mails[id] = mail }
            }
        }
        return rows.memos.filter { rows.erased.contains($0.key.account) }.prefix(limit).map {
            let mail = mails[$0.value.operation]
            return ErasedMemo(
                id: $0.key.id,
                account: $0.key.account,
                mail: mail?.id,
                bytes: mail?.record.count ?? 0
            )
        }
    }

    func erasedDevices(limit: Int) -> [DeviceID] {
        rows.devices.values.filter { rows.erased.contains($0.account.id) }.map(\.record.id)
            .prefix(limit).map { $0 }
    }

    func erasedAccounts(limit: Int) -> [AccountID] { Array(rows.erased.prefix(limit)) }

    // MARK: Settings

    func settings(of account: AccountID) -> SharedSettings? { rows.settings[account] }

    func ledger(of node: [UInt8], _ account: AccountID) -> ChangeLedger? {
        rows.ledgers[account]?[node]?.ledger
    }

    func nodes(of account: AccountID, beyond count: Int) -> [[UInt8]] {
        let nodes = (rows.ledgers[account] ?? [:]).sorted { $0.value.heardAt > $1.value.heardAt }
        return nodes.dropFirst(count).map(\.key)
    }

    func lastChange(of account: AccountID) -> Int64 { rows.lastChange[account, default: 0] }

    // MARK: Invitations

    func invitation(of addressKey: [UInt8]) -> WallTime? {
        rows.invitations[addressKey]?.invitedAt
    }

    func invitations(after time: WallTime) -> Int {
        rows.invitations.values.count { $0.invitedAt > time }
    }

    // MARK: Mailboxes

    func ownMailbox(of addressKey: [UInt8]) -> OwnMailbox? {
        rows.ownMailboxes[addressKey]?.mailbox
    }

    func hasOwnMailbox(_ addressKey: [UInt8]) -> Bool { rows.ownMailboxes[addressKey] != nil }

    // MARK: Changes

    /// Makes a change of the tables or the queue.
    mutating func make(_ write: RelayWrite) throws {
        switch write {
        case .queue(let mail): try queue(mail)
        case .acceptAgain(let mail, _): rows.change(mail, to: .accepted)
        case .requeue(let mail):
            rows.dropNotes(of: mail)
            try requeue(mail)
        case .hold(let mail, let now):
            let queued = try mails.entries(in: .queued, after: nil, limit: .max)
            guard let entry = queued.first(where: { $0.id == mail }) else { break }
            if try mails.park(entry) { rows.held[mail] = now }
        case .discard(let mail):
            rows.dropNotes(of: mail)
            try mails.delete(mail)
        case .noteDead(let mail, let running):
            if let letter = rows.dead[mail], letter.seen == nil { rows.dead[mail]?.seen = running }
        case .running(let time): rows.running = time
        case .memo(let memo, let mail): add(memo, mail: mail)
        case .count(let key, let steps): rows.count(key, in: steps)
        case .fate(let fate, let mail, _): rows.record(fate, of: mail)
        case .code(let code, let handle): rows.codes[handle] = code
        case .tried(let code, let handle): set(code, under: handle)
        case .dropCode(let handle): rows.codes[handle] = nil
        case .longCode(let code, let address):
            rows.longCodes[address, default: []].append(code)
        case .dropLongCodes(let address): rows.longCodes[address] = nil
        case .dropDeadCodes(let now):
            rows.codes = rows.codes.filter { $0.value.code.isAlive(at: now) }
            rows.longCodes = rows.longCodes.mapValues { $0.filter { $0.life.contains(now) } }
        case .request(let subject, let now): rows.requests[subject, default: []].append(now)
        case .dropRequests(let subject): rows.requests[subject] = nil
        case .dropRequestsBefore(let window, let subject):
            rows.requests[subject]?.removeAll { $0 <= window.start }
        case .dropRequestsOutside(let window):
            rows.requests = rows.requests.mapValues { $0.filter(window.contains) }
        case .failedTry(let share, let step, let chance):
            rows.failedTries[share, default: [:]][step, default: 0] += chance
        case .dropFailedTriesOutside(let window):
            rows.failedTries = rows.failedTries.mapValues { tries in
                tries.filter { window.contains($0.key) }
            }
        case .account(let account):
            rows.accounts[account.addressKey] = RelayDatabase.Account(
                id: account.id,
                address: account.address,
                mailbox: account.mailbox,
                createdAt: account.createdAt
            )
        case .language(let language, let account):
            rows.accounts = rows.accounts.mapValues { row in
                var row = row
                if row.id == account { row.language = language }
                return row
            }
        case .device(let device, let account): add(device, to: account)
        case .revoke(let device, let now): revoke(device, at: now)
        case .noteRevoked(let device, let running):
            change(device) { $0.revokedSeen = $0.revokedSeen ?? running }
        case .forget(let device): forget(device)
        case .dropUnnamed(let account): dropUnnamed(account)
        case .dropCounts(let kept): rows.dropCounts(beyond: kept)
        case .use(let use): change(use.device) { $0.record.usedAt = use.time }
        case .erase(let account, let now): erase(account, at: now)
        case .dropMemo(let memo, let account):
            rows.memos[RelayDatabase.Key(account: account, id: memo)] = nil
        case .dropAccount(let account): drop(account)
        case .settings(let settings, let account, _):
            rows.settings[account] = settings
            rows.lastChange[account] = settings.version
        case .ledger(let ledger, let node, let account, let now):
            rows.ledgers[account, default: [:]][node] = (ledger, now)
        case .dropLedger(let node, let account): rows.ledgers[account]?[node] = nil
        case .ownMailbox(let mailbox, let address, let now):
            rows.ownMailboxes[address] = (mailbox, now)
        case .dropOwnMailbox(let address): rows.ownMailboxes[address] = nil
        case .invitation(let address, let key, let now):
            rows.invitations[key] = (address, now)
        case .dropInvitation(let address): rows.invitations[address] = nil
        case .dropInvitations(let time):
            rows.invitations = rows.invitations.filter { $0.value.invitedAt > time }
        case .nextTurn(let turn, let pace): rows.turns[pace] = turn
        case .movement(let now): rows.movedAt = now
        case .trial(let now): rows.triedAt = now
        }
    }

    private mutating func drop(_ account: AccountID) {
        rows.erased.remove(account)
        rows.accounts = rows.accounts.filter { $0.value.id != account }
        rows.settings[account] = nil
        rows.ledgers[account] = nil
        rows.lastChange[account] = nil
        rows.forgottenChange[account] = nil
    }

    private mutating func dropUnnamed(_ account: AccountID) {
        let isNamed =
            rows.devices.values.contains { $0.account.id == account }
            || rows.memos.keys.contains { $0.account == account }
            || rows.settings[account] != nil || rows.erased.contains(account)
        if !isNamed { drop(account) }
    }

    private mutating func erase(_ account: AccountID, at now: WallTime) {
        rows.erased.insert(account)
        rows.accounts = rows.accounts.filter { $0.value.id != account }
        rows.settings[account] = nil
        rows.ledgers[account] = nil
        for (token, device) in rows.devices where device.account.id == account {
            rows.devices[token]?.revokedAt = device.revokedAt ?? now
        }
    }

    private func requeue(_ mail: EntryID) throws {
        for state in OperationState.allCases {
            let entries = try mails.entries(in: state, after: nil, limit: .max)
            guard let entry = entries.first(where: { $0.id == mail }) else { continue }
            try mails.requeue(mail, as: try Envelope(decoding: entry.envelope).madeEligible())
        }
    }

    private mutating func add(_ memo: NewMemo, mail: OperationID) {
        rows.memos[RelayDatabase.Key(account: memo.account, id: memo.id)] = RelayDatabase.Memo(
            mailbox: memo.mailbox,
            device: memo.device,
            operation: mail,
            acceptedAt: memo.acceptedAt,
            size: memo.size,
            record: MemoRecord(
                contentCode: memo.contentCode,
                response: memo.response,
                status: .accepted,
                reason: nil
            ),
            contentCode: memo.contentCode,
            response: memo.response,
            messageID: memo.mail.messageID,
            change: rows.countChange(of: memo.account)
        )
    }

    private mutating func set(_ code: SentCode, under handle: [UInt8]) {
        guard let stored = rows.codes[handle] else { return }
        rows.codes[handle] = MailedCode(
            code,
            pair: stored.pair,
            share: stored.share,
            language: stored.language
        )
    }

    private mutating func add(_ device: NewDeviceRow, to account: AccountID) {
        guard let owner = rows.accounts.values.first(where: { $0.id == account }) else { return }
        rows.devices[device.tokenHash] = RelayDatabase.Device(
            record: DeviceRecord(id: device.id, name: device.name, createdAt: device.createdAt),
            account: owner,
            pair: device.pair,
            change: rows.countChange(of: account)
        )
    }

    private mutating func forget(_ device: DeviceID) {
        for (token, row) in rows.devices where row.record.id == device && row.isRevoked {
            let account = row.account.id
            rows.forgottenChange[account] = max(rows.forgottenChange[account] ?? 0, row.change)
            rows.devices[token] = nil
        }
    }

    private mutating func revoke(_ device: DeviceID, at now: WallTime) {
        let living = rows.devices.values.first { $0.record.id == device && !$0.isRevoked }
        guard let living else { return }
        let number = rows.countChange(of: living.account.id)
        change(device) {
            $0.revokedAt = now
            $0.change = number
        }
    }

    private mutating func change(
        _ device: DeviceID,
        _ change: (inout RelayDatabase.Device) -> Void
    ) {
        for (token, row) in rows.devices where row.record.id == device {
            var row = row
            change(&row)
            rows.devices[token] = row
        }
    }
}
