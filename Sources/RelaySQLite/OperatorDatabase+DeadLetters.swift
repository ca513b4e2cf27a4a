import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import RelayRules
public import RelayServer
import SQLite

extension OperatorDatabase {
    public func deadLetters(
        _ filter: DeadLetterFilter = DeadLetterFilter(),
        limit: Int = .max
    ) throws(OperatorError) -> [DeadLetter] {
        try readKeys()
        var letters: [DeadLetter] = []
        var last: EntryID?
        while letters.count < limit {
            let page = try read {
                try tables(in: $0).letters(after: last, limit: Self.pageLength)
            }
            letters += page.map(\.letter).filter(filter.chooses)
            guard page.count == Self.pageLength, let end = page.last?.entry else { break }
            last = end
        }
        return Array(letters.prefix(limit))
    }

    /// The greatest number of letters that are read at once.
    private static let pageLength = 128
}
