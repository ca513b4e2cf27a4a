import SQLite
import Synchronization

extension DiskCache {
    public func saveUses() throws(CacheError) {
        try writing(isDurable: false) { connection in
            var totals = try CacheTotals(connection, tables)
            try saveUses(&totals, connection)
            try totals.write(connection, tables)
        }
    }

    /// Notes the use of an entry that was read. Stores the uses when there are many. If they cannot be
    /// stored their order is forgotten, and no value: the read succeeds.
    func noteUse(of entry: Int64) {
        let isFull = uses.withLock { uses in
            uses.note(entry)
            return uses.isFull
        }
        if isFull { try? saveUses() }
    }

    /// Evicts the least recently used entries without pending changes, until the others are within the
    /// limits.
    ///
    /// - Returns: The evicted entries.
    @discardableResult
    func makeRoom(
        _ totals: inout CacheTotals,
        _ connection: Connection
    ) throws -> Set<Int64> {
        guard isFull(totals) else { return [] }
        try saveUses(&totals, connection)
        var gone: Set<Int64> = []
        var queue = victims.withLock { $0 }
        while isFull(totals) {
            guard let next = queue.next() else {
                queue = CacheVictims(
                    try connection.query(
                        tables.coldest,
                        .integer(CacheVictims.count(of: totals.entries))
                    ) { CacheVictims.Victim(entry: $0.integer(0), used: $0.integer(1)) }
                )
                if queue.isEmpty { break }
                continue
            }
            let found = try connection.first(
                tables.victim,
                .integer(next.entry),
                .integer(next.used)
            ) { (ticket: $0.integer(0), bytes: $0.integer(1)) }
            // One that was used since, or is gone.
            guard let (ticket, bytes) = found else { continue }
            try remove(next.entry, bytes: bytes, &totals, connection)
            totals.floor = max(totals.floor, ticket)
            gone.insert(next.entry)
        }
        let rest = queue
        victims.withLock { $0 = rest }
        evicted.add(gone.count, ordering: .relaxed)
        return gone
    }

    private func isFull(_ totals: CacheTotals) -> Bool {
        totals.entries > limits.entries || totals.bytes > limits.bytes
    }

    /// Stores the uses that this object has noted. If the transaction fails, the latest order of uses
    /// is forgotten, and no value.
    private func saveUses(_ totals: inout CacheTotals, _ connection: Connection) throws {
        let (uses, count) = uses.withLock { $0.take() }
        // In the order of the table, so that each of its pages is changed once.
        for (entry, place) in uses {
            try connection.run(tables.touch, .integer(entry), .integer(totals.use + Int64(place)))
        }
        totals.use += Int64(count)
    }
}
