package import SQLite

extension SQLiteStorage {
    /// The numbers of the steps that the outbox's tables of a database have not seen, counted from 1, and the number
    /// of all. Writes nothing.
    package static func missingSteps(
        in connection: Connection
    ) throws -> (numbers: [Int], count: Int) {
        let (seen, count) = (try Schema.migrations.seen(in: connection), Schema.migrations.count)
        return (seen < count ? Array(max(seen, 0) + 1...count) : [], count)
    }
}
