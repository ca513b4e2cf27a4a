import Outbox
import OutboxCore
import OutboxSQLite
import RelayRules
import RelayServer
import SQLite

/// The relay's tables, inside one transaction of a connection.
///
/// The methods of a table stand together: its reads, and the writes that ``make(_:)`` names.
struct SQLiteTables: RelayReads {
    let database: Connection
    /// The storage of the queue, which is in the same database.
    let storage: SQLiteStorage
    let sealer: Sealer

    /// Reads, decides, and makes the decision's changes.
    func run<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) throws -> RelayDecision<Transaction.Outcome> {
        let decision = try transaction.decision(over: self)
        for write in decision.writes { try make(write) }
        return decision
    }

    /// Makes a change.
    func make(_ write: RelayWrite) throws {
        switch write {
        case .queue(let mail): try storage.insert(mail, in: database)
        case .memo(let memo, let mail): try insert(memo, mail: mail)
        case .count(let key, let steps): try count(key, in: steps)
        case .fate(let fate, let mail, let now): try database.record(fate, of: mail, at: now)
        case .acceptAgain(let mail, let now): try acceptAgain(mail: mail, at: now)
        case .requeue(let mail):
            try dropNotes(of: mail)
            _ = try storage.makeEligible(mail, in: database)
        case .hold(let mail, let now):
            if try storage.park(mail, in: database) { try database.noteHold(of: mail, at: now) }
        case .discard(let mail):
            try dropNotes(of: mail)
            _ = try storage.delete(mail, in: database)
        case .noteDead(let mail, let running): try noteDead(mail, at: running)
        case .running(let time): try setRunningTime(time)
        case .code(let code, let handle): try insert(code, under: handle)
        case .tried(let code, let handle): try set(tries: code.tries, of: handle)
        case .dropCode(let handle): try dropCode(under: handle)
        case .longCode(let code, let address): try insert(code, of: address)
        case .dropLongCodes(let address): try dropLongCodes(of: address)
        case .dropDeadCodes(let now):
            try dropDeadCodes(at: now)
            try dropDeadLongCodes(at: now)
        case .request(let subject, let now): try insertRequest(for: subject, at: now)
        case .dropRequests(let subject): try dropRequests(for: subject)
        case .dropRequestsBefore(let window, let subject):
            try dropRequests(for: subject, before: window)
        case .dropRequestsOutside(let window): try dropRequests(outside: window)
        case .failedTry(let share, let step, let chance):
            try countFailedTry(of: share, in: step, chance: chance)
        case .dropFailedTriesOutside(let window): try dropFailedTries(outside: window)
        case .account(let account): try insert(account)
        case .language(let language, let account): try set(language, of: account)
        case .device(let device, let account): try insert(device, of: account)
        case .revoke(let device, let now): try revoke(device, at: now)
        case .noteRevoked(let device, let running): try noteRevoked(device, at: running)
        case .forget(let device): try forget(device)
        case .dropUnnamed(let account): try dropUnnamed(account)
        case .dropCounts(let kept): try dropCounts(beyond: kept)
        case .use(let use): try note(use)
        case .erase(let account, let now): try erase(account, at: now)
        case .dropMemo(let memo, let account): try dropMemo(memo, of: account)
        case .dropAccount(let account): try dropAccount(account)
        case .settings(let settings, let account, let now):
            try set(settings, of: account, at: now)
        case .ledger(let ledger, let node, let account, let now):
            try set(ledger, of: node, account, at: now)
        case .dropLedger(let node, let account): try dropLedger(of: node, account)
        case .ownMailbox(let mailbox, let address, let now):
            try set(mailbox, of: address, at: now)
        case .dropOwnMailbox(let address): try dropMailbox(of: address)
        case .invitation(let address, let key, let now):
            try insertInvitation(address, of: key, at: now)
        case .dropInvitation(let address): try dropInvitation(of: address)
        case .dropInvitations(let time): try dropInvitations(until: time)
        case .nextTurn(let turn, let pace): try setNextTurn(turn, of: pace)
        case .movement(let now): try noteMovement(at: now)
        case .trial(let now): try tryWriting(at: now)
        }
    }
}
