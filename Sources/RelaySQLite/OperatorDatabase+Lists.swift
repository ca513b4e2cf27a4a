import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import RelayRules
public import RelayServer
import SQLite

extension OperatorDatabase {
    public func deadLetters(
        _ filter: MailFilter = MailFilter(),
        limit: Int = .max
    ) throws(OperatorError) -> [DeadLetter] {
        try list(filter, limit: limit) { try $0.letters(after: $1, limit: $2) }
    }

    public func waitingMails(
        _ filter: MailFilter = MailFilter(),
        limit: Int = .max
    ) throws(OperatorError) -> [WaitingMail] {
        try list(filter, limit: limit) { try $0.waitingMails(after: $1, limit: $2) }
    }

    /// The chosen mails of a list that is read in pages, so that no read keeps a relay's log long.
    private func list<Mail>(
        _ filter: MailFilter,
        limit: Int,
        _ page: (SQLiteTables, _ last: EntryID?, _ limit: Int) throws -> [StoredMail<Mail>]
    ) throws(OperatorError) -> [Mail] {
        try readKeys()
        var mails: [Mail] = []
        var last: EntryID?
        while mails.count < limit {
            let found = try read { try page(tables(in: $0), last, ChosenMails<Mail>.limit) }
            mails += found.map(\.mail).filter(filter.chooses)
            guard found.count == ChosenMails<Mail>.limit, let end = found.last?.entry else { break }
            last = end
        }
        return Array(mails.prefix(limit))
    }
}
