import Outbox
public import OutboxCore
public import SQLite
import Synchronization

/// A local change that is sealed and not stored yet, see ``DiskCache/seal(_:at:)``.
public struct SealedCacheChange: Sendable {
    let change: CacheChange
    let writtenAt: WallTime
    let record: [UInt8]
}

extension DiskCache {
    @discardableResult
    public func store(
        _ answers: [CacheAnswer],
        ticket: CacheTicket,
        at time: WallTime
    ) throws(CacheError) -> [CacheOutcome] {
        var records: [[UInt8]?] = []
        for answer in answers {
            let isKept = (answer.bytes?.count ?? 0) <= limits.value
            records.append(
                isKept
                    ? try sealed(answer.key, answer.bytes, writtenAt: time, source: .server) : nil
            )
        }
        return try writing(isDurable: false) { connection in
            var totals = try CacheTotals(connection, tables)
            var outcomes: [CacheOutcome] = []
            var written: [Int64: Int] = [:]
            for (position, (answer, record)) in zip(answers, records).enumerated() {
                let place = try place(of: answer.key, connection)
                let before = place.stored?.ticket ?? totals.floor
                guard place.stored?.pending ?? 0 == 0, before < ticket.rawValue else {
                    outcomes.append(.superseded)
                    continue
                }
                guard let record else {
                    outcomes.append(.notKept)
                    continue
                }
                let row = NewRow(
                    key: answer.key,
                    ticket: ticket.rawValue,
                    writtenAt: time,
                    source: .server,
                    pending: 0,
                    record: record
                )
                try write(row, at: place, &totals, connection)
                written[place.entry] = position
                outcomes.append(.stored)
            }
            for entry in try makeRoom(&totals, connection) {
                if let position = written[entry] { outcomes[position] = .notKept }
            }
            try totals.write(connection, tables)
            return outcomes
        }
    }

    public func apply(_ changes: [CacheChange], at time: WallTime) throws(CacheError) {
        var sealed: [SealedCacheChange] = []
        for change in changes { sealed.append(try seal(change, at: time)) }
        let records = sealed
        try writing(isDurable: true) { try apply(records, in: $0) }
    }

    /// Seals a local change without storing it. The caller stores it by ``apply(_:in:)`` in its own
    /// transaction, for example with the operation that tells the server:
    ///
    /// ```swift
    /// let change = try cache.seal(lists.change(of: id, to: list), at: now)
    /// let operation = try outbox.seal(kind: "list", payload: payload)
    /// try storage.write { database in
    ///     try cache.apply([change], in: database)
    ///     try storage.insert(operation, in: database)
    /// }
    /// outbox.inserted(operation)
    /// await lists.changed(id)
    /// ```
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - time: The wall clock.
    /// - Throws: ``CacheError``.
    public func seal(
        _ change: CacheChange,
        at time: WallTime
    ) throws(CacheError) -> SealedCacheChange {
        guard (change.bytes?.count ?? 0) <= limits.value else {
            throw .tooLarge(limit: limits.value)
        }
        return SealedCacheChange(
            change: change,
            writtenAt: time,
            record: try sealed(change.key, change.bytes, writtenAt: time, source: .local)
        )
    }

    /// Stores local changes inside a transaction of ``storage``, see ``ValueCache/apply(_:at:)``.
    ///
    /// - Throws: A `SQLiteError` or ``/Outbox/StorageError``. The caller's transaction must not commit
    ///   then.
    public func apply(_ changes: [SealedCacheChange], in connection: Connection) throws {
        try checkOpen()
        var totals = try CacheTotals(connection, tables)
        for sealed in changes {
            let place = try place(of: sealed.change.key, connection)
            let row = NewRow(
                key: sealed.change.key,
                ticket: totals.nextTicket(),
                writtenAt: sealed.writtenAt,
                source: .local,
                pending: (place.stored?.pending ?? 0) + (sealed.change.isPending ? 1 : 0),
                record: sealed.record
            )
            try write(row, at: place, &totals, connection)
        }
        try makeRoom(&totals, connection)
        try totals.write(connection, tables)
    }

    @discardableResult
    public func settle(_ key: CacheKey) throws(CacheError) -> Bool {
        try writing(isDurable: true) { try settle(key, in: $0) }
    }

    /// Settles one pending change inside a transaction of ``storage``, see
    /// ``ValueCache/settle(_:)``: for example in the one that removes the operation from the outbox.
    ///
    /// - Returns: `false` if the value has no pending change. That is no error.
    /// - Throws: A `SQLiteError` or ``/Outbox/StorageError``. The caller's transaction must not commit
    ///   then.
    @discardableResult
    public func settle(_ key: CacheKey, in connection: Connection) throws -> Bool {
        try checkOpen()
        let place = try place(of: key, connection)
        guard let old = place.stored, old.pending > 0 else { return false }
        var totals = try CacheTotals(connection, tables)
        try connection.run(
            tables.release,
            .integer(place.entry),
            .integer(totals.nextTicket()),
            .integer(Int64(old.pending - 1))
        )
        if old.pending == 1 {
            try use(place.entry, bytes: old.bytes, as: totals.nextUse(), connection)
            try makeRoom(&totals, connection)
        }
        try totals.write(connection, tables)
        return true
    }

    @discardableResult
    public func discard(_ key: CacheKey) throws(CacheError) -> Bool {
        try writing(isDurable: true) { try discard(key, in: $0) }
    }

    /// Removes an entry with its pending changes inside a transaction of ``storage``, see
    /// ``ValueCache/discard(_:)``.
    ///
    /// - Returns: `false` if there is no entry. That is no error.
    /// - Throws: A `SQLiteError` or ``/Outbox/StorageError``. The caller's transaction must not commit
    ///   then.
    @discardableResult
    public func discard(_ key: CacheKey, in connection: Connection) throws -> Bool {
        try checkOpen()
        let place = try place(of: key, connection)
        guard let old = place.stored else { return false }
        var totals = try CacheTotals(connection, tables)
        totals.floor = totals.nextTicket()
        try remove(place.entry, bytes: old.bytes, &totals, connection)
        try totals.write(connection, tables)
        return true
    }

    public func removeAll(in place: String?) throws(CacheError) {
        try writing(isDurable: true) { connection in
            var totals = try CacheTotals(connection, tables)
            totals.floor = totals.nextTicket()
            let entries = try connection.query(
                tables.removable,
                place.map { .text($0) } ?? .null
            ) { (entry: $0.integer(0), bytes: $0.integer(1)) }
            for (entry, bytes) in entries {
                try remove(entry, bytes: bytes, &totals, connection)
            }
            try totals.write(connection, tables)
        }
    }

    // MARK: Rows

    private struct NewRow {
        let key: CacheKey
        let ticket: Int64
        let writtenAt: WallTime
        let source: CacheSource
        let pending: Int
        let record: [UInt8]

        var bytes: Int64 {
            Int64(record.count + key.bytes.count + key.place.utf8.count + CacheLimits.overhead)
        }
    }

    private func place(
        of key: CacheKey,
        _ connection: Connection
    ) throws -> CacheBucket.Place {
        try CacheBucket(key).place(of: key, tables, connection)
    }

    private func write(
        _ row: NewRow,
        at place: CacheBucket.Place,
        _ totals: inout CacheTotals,
        _ connection: Connection
    ) throws {
        try connection.run(
            tables.write,
            .integer(place.entry),
            .text(row.key.place),
            .blob(row.key.bytes),
            .integer(row.ticket),
            .integer(row.writtenAt.millisecondsSinceEpoch),
            .integer(Int64(row.source.rawValue)),
            .integer(Int64(row.pending)),
            .blob(row.record)
        )
        totals.ticket = max(totals.ticket, row.ticket)
        totals.entries += place.stored == nil ? 1 : 0
        totals.bytes += row.bytes - (place.stored?.bytes ?? 0)
        let number = row.pending > 0 ? CacheTables.pinned : totals.nextUse()
        try use(place.entry, bytes: row.bytes, as: number, connection)
    }

    private func use(
        _ entry: Int64,
        bytes: Int64,
        as number: Int64,
        _ connection: Connection
    ) throws {
        try connection.run(tables.use, .integer(entry), .integer(number), .integer(bytes))
        // Uses that are noted and not stored are earlier than this one.
        uses.withLock { $0.note(entry) }
    }

    func remove(
        _ entry: Int64,
        bytes: Int64,
        _ totals: inout CacheTotals,
        _ connection: Connection
    ) throws {
        try connection.run(tables.removeEntry, .integer(entry))
        try connection.run(tables.removeUse, .integer(entry))
        totals.entries -= 1
        totals.bytes -= bytes
    }
}
