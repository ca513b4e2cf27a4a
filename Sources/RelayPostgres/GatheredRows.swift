import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

/// Rows that are to be written, of any number of callers: the rows of a table are one statement, which is much
/// less work than one for each.
///
/// They are those of memos, which nearly all callers write.
struct GatheredRows {
    private struct Memo {
        let memo: NewMemo
        let mail: OperationID
        /// Which of the account's rows this is, counted from 1.
        let number: Int
    }

    private var mails: [QueuedRow] = []
    private var memos: [Memo] = []
    /// The number of each account's memos, in the order in which the accounts came.
    private var accounts: [(account: AccountID, memos: Int)] = []
    private var places: [AccountID: Int] = [:]
    /// The use of a device that was noted last.
    private var uses: [DeviceID: WallTime] = [:]
    private var counts = StepCounts()

    /// - Parameter account: The account whose memo the mail is; `nil` for another mail.
    mutating func add(_ mail: SealedOperation, account: AccountID?) {
        mails.append(QueuedRow(mail: mail, account: account))
    }

    /// Adds a memo with the identifier of its mail.
    mutating func add(_ memo: NewMemo, mail: OperationID) {
        let place = places[memo.account] ?? accounts.count
        if place == accounts.count {
            places[memo.account] = place
            accounts.append((memo.account, 0))
        }
        accounts[place].memos += 1
        memos.append(Memo(memo: memo, mail: mail, number: accounts[place].memos))
    }

    mutating func add(_ use: DeviceUse) { uses[use.device] = use.time }

    /// Adds an event that is counted in steps.
    mutating func count(_ key: [UInt8], in steps: RateSteps) { counts.add(of: key, in: steps) }

    /// Adds another one's rows behind these.
    mutating func add(_ other: GatheredRows) {
        mails += other.mails
        for memo in other.memos { add(memo.memo, mail: memo.mail) }
        uses.merge(other.uses) { $1 }
        counts.add(other.counts)
    }

    /// The statements that write the rows.
    var statements: [Statement] {
        (mails.isEmpty ? [] : [.insertion(of: mails)])
            + (memos.isEmpty ? [] : [changes, insertionOfMemos])
            + (uses.isEmpty ? [] : [noting])
            + counts.statements
    }

    /// Counts the memos as changes of their accounts.
    private var changes: Statement {
        Statement(
            """
            INSERT INTO account_change(account, last)
            SELECT account, memos FROM unnest($1, $2) AS new(account, memos)
            ON CONFLICT (account) DO UPDATE SET last = account_change.last + excluded.last
            """,
            [.list(accounts.map { .id($0.account) }), .list(accounts.map { .count($0.memos) })]
        )
    }

    /// The memos of an account have its latest numbers of changes, in their order.
    private var insertionOfMemos: Statement {
        func column(_ value: (Memo) -> Statement.Value) -> Statement.Value {
            .list(memos.map(value))
        }
        return Statement(
            """
            INSERT INTO memo(account, id, device, content, message_id, operation, response, status,
                accepted_at, changed_at, size, mailbox, change)
            SELECT account, id, device, content, message_id, operation, response, 'accepted',
                accepted_at, accepted_at, size, mailbox,
                (SELECT last FROM account_change WHERE account_change.account = new.account) - behind
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                AS new(account, id, device, content, message_id, operation, response, accepted_at,
                    size, mailbox, behind)
            """,
            [
                column { .id($0.memo.account) },
                column { .id($0.memo.id) },
                column { .id($0.memo.device) },
                column { .bytes($0.memo.contentCode) },
                column { .text($0.memo.mail.messageID) },
                column { .id($0.mail) },
                column { .bytes($0.memo.response) },
                column { .time($0.memo.acceptedAt) },
                column { .count($0.memo.size) },
                column { .id($0.memo.mailbox) },
                column { .count(accounts[places[$0.memo.account] ?? 0].memos - $0.number) },
            ]
        )
    }

    private var noting: Statement {
        let uses = uses.map { (device: $0.key, time: $0.value) }
        return Statement(
            """
            UPDATE device SET used_at = new.at FROM unnest($1, $2) AS new(id, at)
            WHERE device.id = new.id
            """,
            [.list(uses.map { .id($0.device) }), .list(uses.map { .time($0.time) })]
        )
    }
}
