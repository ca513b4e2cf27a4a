import Outbox
import OutboxCore
import OutboxSQLite
import RelayRules
import RelayServer
import SQLite

/// Seals all that a relay has stored again under a new key, and replaces the secret of its links, tags and
/// cursors: for an operator whose backup, or whose folder, was read by others.
///
/// 1. No relay serves meanwhile: the rotation holds the lock of the data folder. Other commands of the
///    operator may run; they seal nothing.
/// 2. Every record opens at any moment. The new key is in the key file before anything is sealed under it,
///    and an old one leaves it when nothing is sealed under it, and no other process has read it.
/// 3. A rotation that was interrupted is finished by the next one, which makes no other key: the table
///    `key_rotation` has a row from the transaction that replaces the secret until the old keys are gone.
/// 4. A transaction is of some records (``LetterBatch``), so that the log fits into the disk's reserve.
///
/// What was sealed with a lost key stays as it is, and so does the key of bytes that are no record of this
/// relay. The secret by which addresses are found stays as well: without it every person would get a
/// second account.
struct KeyRotation {
    let storage: SQLiteStorage
    let sealer: Sealer
    /// Called behind each transaction, with the number of records that it sealed again.
    var sealed: (Int) throws -> Void = { _ in }

    /// The outcome of sealing.
    struct Progress: Hashable, Sendable {
        /// The records that were sealed again.
        var resealed = 0
        /// The records that no key of the key file opens.
        var unreadable = 0
    }

    /// The greatest number of rows in one transaction, but for mails.
    private static let batch = 128

    /// Begins a rotation, unless one is under way.
    ///
    /// - Returns: Whether an earlier rotation is continued.
    func begin(at now: WallTime) throws -> Bool {
        let isUnderWay = try storage.read { database in
            try database.first("SELECT 1 FROM key_rotation") { _ in true } ?? false
        }
        guard !isUnderWay else { return true }
        _ = try sealer.rotate()
        let secret = try SealedSecret.replaceable.random(sealedBy: sealer)
        try storage.write { database in
            try database.run("UPDATE relay_secret SET replaceable = ?", .blob(secret))
            try database.run(
                "INSERT INTO key_rotation(id, begun_at) VALUES(0, ?)",
                .integer(now.millisecondsSinceEpoch)
            )
        }
        return false
    }

    /// Seals everything again that is sealed under another key than the latest one.
    ///
    /// - Complexity: O(records), read once; one durable transaction for some records that are sealed again.
    func reseal() throws -> Progress {
        var progress = Progress()
        for secret in SealedSecret.allCases { try reseal(secret, &progress) }
        for column in SealedColumn.all { try reseal(column, &progress) }
        try resealMails(&progress)
        return progress
    }

    /// Ends a rotation.
    static func end(in storage: SQLiteStorage) throws {
        try storage.write { _ = try $0.run("DELETE FROM key_rotation") }
        try storage.checkpoint()
    }

    /// The keys under which anything is sealed.
    ///
    /// - Complexity: O(records).
    static func keysInUse(in storage: SQLiteStorage) throws -> Set<KeyID> {
        var keys: Set<KeyID> = []
        let columns =
            SealedSecret.allCases.map { (table: "relay_secret", column: $0.column) }
            + SealedColumn.all.map { ($0.table, $0.column) } + [("outbox_operation", "record")]
        for (table, column) in columns {
            // The beginning of a record names its key.
            let beginnings = try storage.read { database in
                try database.query(
                    "SELECT DISTINCT substr(\(column), 1, 9) FROM \(table) WHERE \(column) IS NOT NULL"
                ) { $0.blob(0) }
            }
            keys.formUnion(beginnings.compactMap(KeyID.init(beginning:)))
        }
        return keys
    }

    // MARK: -

    private func reseal(_ secret: SealedSecret, _ progress: inout Progress) throws {
        let sealed = try storage.read { database in
            try database.first("SELECT \(secret.column) FROM relay_secret") { $0.optionalBlob(0) }
        }
        guard let sealed = sealed.flatMap(\.self) else { return }
        let record = Record(id: secret.id, kind: .secret, createdAt: .distantPast, sealed: sealed)
        guard let new = try resealed(record, &progress) else { return }
        try storage.write { database in
            _ = try database.run("UPDATE relay_secret SET \(secret.column) = ?", .blob(new))
        }
        try self.sealed(1)
    }

    private func reseal(_ column: SealedColumn, _ progress: inout Progress) throws {
        var last: [UInt8]? = []
        while let end = last {
            let rows = try storage.read { try column.rows(after: end, limit: Self.batch, in: $0) }
            last = rows.count == Self.batch ? rows.last?.key : nil
            var changed: [(key: [UInt8], sealed: [UInt8])] = []
            for (key, record) in rows {
                if let new = try resealed(record, &progress) { changed.append((key, new)) }
            }
            guard !changed.isEmpty else { continue }
            try storage.write { database in
                for row in changed {
                    try database.run(
                        "UPDATE \(column.table) SET \(column.column) = ? WHERE \(column.key) = ?",
                        .blob(row.sealed),
                        .blob(row.key)
                    )
                }
            }
            try sealed(changed.count)
        }
    }

    private func resealMails(_ progress: inout Progress) throws {
        var last = EntryID(rawValue: .min)
        while true {
            let sizes = try storage.read { database in
                try database.query(
                    """
                    SELECT entry, length(record) FROM outbox_operation WHERE entry > ?
                    ORDER BY entry LIMIT \(LetterBatch.letters)
                    """,
                    .integer(last.rawValue)
                ) { (entry: EntryID(rawValue: $0.integer(0)), bytes: Int($0.integer(1))) }
            }
            let batch = sizes.prefix(LetterBatch.count(of: sizes.map(\.bytes)))
            guard let end = batch.last else { return }
            last = end.entry
            var changed: [(mail: StoredEntry, sealed: [UInt8])] = []
            for (entry, _) in batch {
                guard let mail = try storage.read({ try storage.entry(entry, in: $0) }) else {
                    continue
                }
                guard let envelope = try? Envelope(decoding: mail.envelope) else {
                    progress.unreadable += 1
                    continue
                }
                let record = Record(
                    id: envelope.id,
                    kind: envelope.kind,
                    createdAt: envelope.createdAt,
                    sealed: mail.record
                )
                if let new = try resealed(record, &progress) { changed.append((mail, new)) }
            }
            guard !changed.isEmpty else { continue }
            try storage.write { database in
                for (mail, sealed) in changed {
                    try database.run(
                        "UPDATE outbox_operation SET record = ? WHERE entry = ?",
                        .blob(sealed),
                        .integer(mail.id.rawValue)
                    )
                }
            }
            try sealed(changed.count)
        }
    }

    /// - Returns: `nil` for a record that stays as it is.
    private func resealed(_ record: Record, _ progress: inout Progress) throws -> [UInt8]? {
        do {
            let new = try sealer.resealed(
                record.sealed,
                id: record.id,
                kind: record.kind,
                createdAt: record.createdAt
            )
            if new != nil { progress.resealed += 1 }
            return new
        } catch is UnreadableRecord {
            progress.unreadable += 1
            return nil
        }
    }
}

/// A sealed value, with what it is bound to.
private struct Record {
    let id: OperationID
    let kind: OperationKind
    let createdAt: WallTime
    let sealed: [UInt8]
}

/// A column of sealed values, each under the row's own key and a time.
private struct SealedColumn {
    let table: String
    let column: String
    /// The column with the row's key: 16 bytes.
    let key: String
    /// The column with the time.
    let time: String
    let kind: OperationKind

    static let all = [
        SealedColumn(
            table: "account",
            column: "address",
            key: "id",
            time: "created_at",
            kind: .address
        ),
        SealedColumn(
            table: "device",
            column: "name",
            key: "id",
            time: "created_at",
            kind: .deviceName
        ),
        SealedColumn(
            table: "account_settings",
            column: "fields",
            key: "account",
            time: "changed_at",
            kind: .settings
        ),
        SealedColumn(
            table: "invitation",
            column: "address",
            key: "id",
            time: "invited_at",
            kind: .address
        ),
        SealedColumn(
            table: "own_mailbox",
            column: "content",
            key: "id",
            time: "changed_at",
            kind: .ownMailbox
        ),
    ]

    /// An erased account has no address.
    func rows(
        after last: [UInt8],
        limit: Int,
        in database: Connection
    ) throws -> [(key: [UInt8], record: Record)] {
        try database.query(
            """
            SELECT \(key), \(column), \(time) FROM \(table)
            WHERE \(key) > ? AND length(\(column)) > 0 ORDER BY \(key) LIMIT ?
            """,
            .blob(last),
            .integer(Int64(limit))
        ) { row in
            let record = Record(
                id: try OperationID(column: row.blob(0)),
                kind: kind,
                createdAt: WallTime(millisecondsSinceEpoch: row.integer(2)),
                sealed: row.blob(1)
            )
            return (row.blob(0), record)
        }
    }
}

extension KeyID {
    /// - Parameter bytes: The beginning of a ``/OutboxCore/SealedRecord``: version and key.
    fileprivate init?(beginning bytes: [UInt8]) {
        guard bytes.count == 9, bytes[0] == SealedRecord.version else { return nil }
        self.init(rawValue: number(bigEndian: bytes[1...]))
    }
}
