import MemoTexts
import Outbox
import OutboxCore
import PostgreSQL
import RelayAPI
import RelayRules
import RelayServer

/// The statements of a decision's ``/RelayServer/RelayWrite``s.
///
/// All that can fail before the database is asked, such as sealing, fails while they are made: a
/// transaction that several callers share has none of them then.
struct PreparedWrites {
    private(set) var statements: [Statement] = []
    /// The rows that other callers write as well. They need none of the statements, and none of those needs them.
    private(set) var rows = GatheredRows()
    private let sealer: Sealer
    /// The envelopes of the mails that are made eligible.
    private let envelopes: [EntryID: [UInt8]]
    /// The accounts whose memos have the mails that are queued.
    private let accounts: [OperationID: AccountID]

    /// - Parameters:
    ///   - writes: The writes in their order.
    ///   - envelopes: The stored envelopes of ``mailsToRead(for:)``.
    /// - Throws: `KeyStoreError`.
    init(
        _ writes: [RelayWrite],
        envelopes: [EntryID: [UInt8]],
        sealer: Sealer
    ) throws {
        self.sealer = sealer
        self.envelopes = envelopes
        let memos = writes.compactMap { write -> (OperationID, AccountID)? in
            guard case .memo(let memo, let mail) = write else { return nil }
            return (mail, memo.account)
        }
        accounts = Dictionary(memos, uniquingKeysWith: { first, _ in first })
        for write in writes { try prepare(write) }
    }

    /// The mails whose envelopes the writes need.
    static func mailsToRead(for writes: [RelayWrite]) -> [EntryID] {
        writes.compactMap { write in
            guard case .requeue(let mail) = write else { return nil }
            return mail
        }
    }

    mutating func add(_ text: StaticString, _ parameters: Statement.Value...) {
        statements.append(Statement(text, parameters))
    }

    private mutating func prepare(_ write: RelayWrite) throws {
        switch write {
        case .queue(let mail): rows.add(mail, account: accounts[mail.envelope.id])
        case .memo(let memo, let mail): rows.add(memo, mail: mail)
        case .count(let key, let steps): rows.count(key, in: steps)
        case .fate(let fate, let mail, let now): add(Statement.record([(fate, mail)], at: now))
        case .acceptAgain(let mail, let now): acceptAgain(mail: mail, at: now)
        case .requeue(let mail): requeue(mail)
        case .hold(let mail, let now): add(Statement.hold(mail, at: now))
        case .discard(let mail):
            add(Statement.dropNotes(of: mail))
            add("DELETE FROM outbox_operation WHERE entry = $1", .entry(mail))
        case .noteDead(let mail, let running):
            add(
                "UPDATE dead_letter SET seen = $2 WHERE entry = $1 AND seen IS NULL",
                .entry(mail),
                .integer(running.count)
            )
        case .code(let code, let handle): insert(code, under: handle)
        case .tried(let code, let handle):
            add(
                "UPDATE mailed_code SET tries = $2 WHERE handle = $1",
                .bytes(handle),
                .count(code.tries)
            )
        case .dropCode(let handle):
            add("DELETE FROM mailed_code WHERE handle = $1", .bytes(handle))
        case .longCode(let code, let address): insert(code, of: address)
        case .dropLongCodes(let address):
            add("DELETE FROM long_code WHERE address = $1", .bytes(address))
        case .dropDeadCodes(let now): dropDeadCodes(at: now)
        case .request(let subject, let now):
            add(
                "INSERT INTO code_request(subject, at) VALUES ($1, $2)",
                .bytes(subject),
                .time(now)
            )
        case .dropRequests(let subject):
            add("DELETE FROM code_request WHERE subject = $1", .bytes(subject))
        case .dropRequestsBefore(let window, let subject):
            add(
                "DELETE FROM code_request WHERE subject = $1 AND at <= $2",
                .bytes(subject),
                .time(window.start)
            )
        case .dropRequestsOutside(let window):
            add(
                "DELETE FROM code_request WHERE at <= $1 OR at >= $2",
                .time(window.start),
                .time(window.end)
            )
        case .failedTry(let share, let step, let chance):
            add(
                """
                INSERT INTO failed_try(share, step, chance) VALUES ($1, $2, $3)
                ON CONFLICT (share, step) DO UPDATE
                SET chance = failed_try.chance + excluded.chance
                """,
                .count(share.rawValue),
                .time(step),
                .integer(chance)
            )
        case .dropFailedTriesOutside(let window):
            add(
                "DELETE FROM failed_try WHERE step <= $1 OR step >= $2",
                .time(window.start),
                .time(window.end)
            )
        case .account(let account): try insert(account)
        case .language(let language, let account):
            add(
                "UPDATE account SET language = $2 WHERE id = $1",
                .id(account),
                .text(language.tag.description)
            )
        case .device(let device, let account): try insert(device, of: account)
        case .revoke(let device, let now): revoke(device, at: now)
        case .noteRevoked(let device, let running):
            add(
                "UPDATE device SET revoked_seen = coalesce(revoked_seen, $2) WHERE id = $1",
                .id(device),
                .integer(running.count)
            )
        case .forget(let device): forget(device)
        case .dropUnnamed(let account): dropUnnamed(account)
        case .dropCounts(let kept):
            add(
                """
                DELETE FROM memo_use WHERE begins < (
                    SELECT begins FROM memo_use ORDER BY begins DESC LIMIT 1 OFFSET $1)
                """,
                .count(kept)
            )
        case .use(let use): rows.add(use)
        case .erase(let account, let now): erase(account, at: now)
        case .dropMemo(let memo, let account):
            add("DELETE FROM memo WHERE account = $1 AND id = $2", .id(account), .id(memo))
        case .dropAccount(let account): dropAccount(account)
        case .settings(let settings, let account, let now):
            try set(settings, of: account, at: now)
        case .ledger(let ledger, let node, let account, let now):
            add(
                """
                INSERT INTO change_ledger(account, node, heard_at, ledger) VALUES ($1, $2, $3, $4)
                ON CONFLICT (account, node) DO UPDATE
                SET heard_at = excluded.heard_at, ledger = excluded.ledger
                """,
                .id(account),
                .bytes(node),
                .time(now),
                .bytes(try RelayJSON.encode(ledger))
            )
        case .dropLedger(let node, let account):
            add(
                "DELETE FROM change_ledger WHERE account = $1 AND node = $2",
                .id(account),
                .bytes(node)
            )
        case .ownMailbox(let mailbox, let address, let now):
            try set(mailbox, of: address, at: now)
        case .dropOwnMailbox(let address):
            add("DELETE FROM own_mailbox WHERE address_key = $1", .bytes(address))
        case .invitation(let address, let key, let now):
            try insertInvitation(address, of: key, at: now)
        case .dropInvitation(let address):
            add("DELETE FROM invitation WHERE address_key = $1", .bytes(address))
        case .dropInvitations(let time):
            add("DELETE FROM invitation WHERE invited_at <= $1", .time(time))
        case .running(let time):
            add(
                """
                INSERT INTO relay_running(id, milliseconds) VALUES (0, $1)
                ON CONFLICT (id) DO UPDATE SET milliseconds = excluded.milliseconds
                """,
                .integer(time.count)
            )
        case .nextTurn(let turn, let pace):
            add(
                """
                INSERT INTO relay_pace(name, next) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET next = excluded.next
                """,
                .text(pace.rawValue),
                .time(turn)
            )
        case .movement(let now):
            add(
                """
                INSERT INTO relay_movement(id, at) VALUES (0, $1)
                ON CONFLICT (id) DO UPDATE SET at = excluded.at
                """,
                .time(now)
            )
        case .trial(let now):
            add(
                """
                INSERT INTO relay_trial(id, at) VALUES (0, $1)
                ON CONFLICT (id) DO UPDATE SET at = excluded.at
                """,
                .time(now)
            )
        }
    }

    private mutating func add(_ statement: Statement) { statements.append(statement) }

    private mutating func add(_ added: [Statement]) { statements += added }

    // MARK: Mails

    /// A mail that is gone, or whose envelope cannot be read, stays as it is.
    private mutating func requeue(_ mail: EntryID) {
        add(Statement.dropNotes(of: mail))
        guard let stored = envelopes[mail], let envelope = try? Envelope(decoding: stored) else {
            return
        }
        add(.requeueing(of: mail, as: envelope.madeEligible()))
    }

    private mutating func acceptAgain(mail: OperationID, at now: WallTime) {
        add(.countChange(ofMail: mail))
        add(
            """
            UPDATE memo SET status = 'accepted', reason = NULL, changed_at = $2,
                change = (SELECT last FROM account_change WHERE account = memo.account)
            WHERE operation = $1
            """,
            .id(mail),
            .time(now)
        )
    }

    // MARK: Codes

    private mutating func insert(_ mailed: MailedCode, under handle: [UInt8]) {
        let code = mailed.code
        add(
            """
            INSERT INTO mailed_code(
                handle, pair, code, digits, expires_at, tries, sent_at, language, share)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            .bytes(handle),
            .bytes(mailed.pair),
            .bytes(code.code),
            .count(code.digits),
            .time(code.expiresAt),
            .count(code.tries),
            .time(code.sentAt),
            .text(mailed.language.tag.description),
            .count(mailed.share.rawValue)
        )
    }

    private mutating func insert(_ mailed: MailedLongCode, of addressKey: [UInt8]) {
        add(
            """
            INSERT INTO long_code(address, code, sent_at, expires_at, share, language)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            .bytes(addressKey),
            .bytes(mailed.code),
            .time(mailed.life.sentAt),
            .time(mailed.life.expiresAt),
            .count(mailed.share.rawValue),
            .text(mailed.language.tag.description)
        )
    }

    /// Drops those that `CodeLife` calls dead.
    private mutating func dropDeadCodes(at now: WallTime) {
        let latest = Statement.Value.time(CodeLife.latestSending(at: now))
        add("DELETE FROM mailed_code WHERE expires_at <= $1 OR sent_at > $2", .time(now), latest)
        add("DELETE FROM long_code WHERE expires_at <= $1 OR sent_at > $2", .time(now), latest)
    }

    // MARK: Accounts and devices

    private mutating func insert(_ account: NewAccount) throws {
        let address = try sealer.seal(
            Array(account.address.text.utf8),
            id: account.id.bits,
            kind: .address,
            createdAt: account.createdAt
        )
        add(
            """
            INSERT INTO account(id, address_key, address, created_at, mailbox)
            VALUES ($1, $2, $3, $4, $5)
            """,
            .id(account.id),
            .bytes(account.addressKey),
            .bytes(address),
            .time(account.createdAt),
            .id(account.mailbox)
        )
    }

    private mutating func insert(_ device: NewDeviceRow, of account: AccountID) throws {
        let name = try sealer.seal(
            Array(device.name.utf8),
            id: device.id.bits,
            kind: .deviceName,
            createdAt: device.createdAt
        )
        add(.countChange(of: account))
        add(
            """
            INSERT INTO device(id, account, token, name, created_at, pair, change)
            VALUES ($1, $2, $3, $4, $5, $6, (SELECT last FROM account_change WHERE account = $2))
            """,
            .id(device.id),
            .id(account),
            .bytes(device.tokenHash),
            .bytes(name),
            .time(device.createdAt),
            .bytes(device.pair)
        )
    }

    private mutating func revoke(_ device: DeviceID, at now: WallTime) {
        add(
            """
            UPDATE account_change SET last = last + 1
            WHERE account = (SELECT account FROM device WHERE id = $1 AND revoked_at IS NULL)
            """,
            .id(device)
        )
        add(
            """
            UPDATE device SET revoked_at = $2,
                change = (SELECT last FROM account_change WHERE account = device.account)
            WHERE id = $1 AND revoked_at IS NULL
            """,
            .id(device),
            .time(now)
        )
    }

    private mutating func forget(_ device: DeviceID) {
        add(
            """
            UPDATE account_change SET forgotten = greatest(forgotten, device.change) FROM device
            WHERE device.id = $1 AND revoked_at IS NOT NULL
                AND account_change.account = device.account
            """,
            .id(device)
        )
        add("DELETE FROM device WHERE id = $1 AND revoked_at IS NOT NULL", .id(device))
    }

    /// Opens nothing: what cannot be opened is erased, too.
    private mutating func erase(_ account: AccountID, at now: WallTime) {
        add(
            "INSERT INTO erasure(account, erased_at) VALUES ($1, $2)",
            .id(account),
            .time(now)
        )
        add(
            "UPDATE account SET address_key = id, address = $2 WHERE id = $1",
            .id(account),
            .bytes([])
        )
        add(
            "UPDATE device SET revoked_at = $2 WHERE account = $1 AND revoked_at IS NULL",
            .id(account),
            .time(now)
        )
        dropShared(of: account)
    }

    private mutating func dropAccount(_ account: AccountID) {
        dropShared(of: account)
        add("DELETE FROM account_change WHERE account = $1", .id(account))
        add("DELETE FROM erasure WHERE account = $1", .id(account))
        add("DELETE FROM account WHERE id = $1", .id(account))
    }

    private mutating func dropShared(of account: AccountID) {
        add("DELETE FROM account_settings WHERE account = $1", .id(account))
        add("DELETE FROM change_ledger WHERE account = $1", .id(account))
    }

    /// Each statement looks for what names the account: the first one that goes is its number of changes,
    /// by which the others are chosen.
    private mutating func dropUnnamed(_ account: AccountID) {
        add(
            """
            DELETE FROM account_change WHERE account = $1
                AND NOT EXISTS (SELECT 1 FROM device WHERE account = $1)
                AND NOT EXISTS (SELECT 1 FROM memo WHERE account = $1)
                AND NOT EXISTS (SELECT 1 FROM account_settings WHERE account = $1)
                AND NOT EXISTS (SELECT 1 FROM erasure WHERE account = $1)
            """,
            .id(account)
        )
        add(
            """
            DELETE FROM change_ledger WHERE account = $1
                AND NOT EXISTS (SELECT 1 FROM account_change WHERE account = $1)
            """,
            .id(account)
        )
        add(
            """
            DELETE FROM account WHERE id = $1
                AND NOT EXISTS (SELECT 1 FROM account_change WHERE account = $1)
            """,
            .id(account)
        )
    }

    // MARK: Settings, mailboxes, invitations

    private mutating func set(
        _ settings: SharedSettings,
        of account: AccountID,
        at now: WallTime
    ) throws {
        let fields = try sealer.seal(
            try RelayJSON.encode(settings.fields),
            id: account.bits,
            kind: .settings,
            createdAt: now
        )
        add(
            """
            INSERT INTO account_change(account, last) VALUES ($1, $2)
            ON CONFLICT (account) DO UPDATE SET last = excluded.last
            """,
            .id(account),
            .integer(settings.version)
        )
        add(
            """
            INSERT INTO account_settings(account, change, changed_at, fields)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (account) DO UPDATE SET change = excluded.change,
                changed_at = excluded.changed_at, fields = excluded.fields
            """,
            .id(account),
            .integer(settings.version),
            .time(now),
            .bytes(fields)
        )
    }

    private mutating func set(
        _ mailbox: OwnMailbox,
        of addressKey: [UInt8],
        at now: WallTime
    ) throws {
        let id = OperationID.random(at: now)
        let content = try sealer.seal(
            mailbox.encoded(),
            id: id,
            kind: .ownMailbox,
            createdAt: now
        )
        add("DELETE FROM own_mailbox WHERE address_key = $1", .bytes(addressKey))
        add(
            """
            INSERT INTO own_mailbox(id, address_key, content, changed_at) VALUES ($1, $2, $3, $4)
            """,
            .id(id),
            .bytes(addressKey),
            .bytes(content),
            .time(now)
        )
    }

    private mutating func insertInvitation(
        _ address: MailAddress,
        of addressKey: [UInt8],
        at now: WallTime
    ) throws {
        let id = OperationID.random(at: now)
        let sealed = try sealer.seal(
            Array(address.text.utf8),
            id: id,
            kind: .address,
            createdAt: now
        )
        add("DELETE FROM invitation WHERE address_key = $1", .bytes(addressKey))
        add(
            "INSERT INTO invitation(id, address_key, address, invited_at) VALUES ($1, $2, $3, $4)",
            .id(id),
            .bytes(addressKey),
            .bytes(sealed),
            .time(now)
        )
    }
}
